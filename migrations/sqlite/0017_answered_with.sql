-- A turn that was coalesced names the later message that its own is answered with. Where that one is forgotten, the
-- turn has failed and may be played anew.
ALTER TABLE turns ADD COLUMN answered_with INTEGER;
CREATE INDEX turns_coalesced ON turns (answered_with) WHERE answered_with IS NOT NULL;
UPDATE turns SET answered_with = (
    SELECT min(later.trigger_id) FROM turns later
    WHERE later.persona = turns.persona AND later.channel_id = turns.channel_id
        AND later.trigger_id > turns.trigger_id AND later.state <> 'coalesced')
WHERE state = 'coalesced';
