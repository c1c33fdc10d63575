-- A turn has no reply and no end when it is planned: it stands in the indexes of both when it has.
DROP INDEX turns_by_reply;
CREATE INDEX turns_by_reply ON turns (reply_id) WHERE reply_id IS NOT NULL;
DROP INDEX turns_by_use;
CREATE INDEX turns_by_use ON turns (persona, ended_at, prompt_tokens, completion_tokens, cost_micros)
    WHERE ended_at IS NOT NULL;
