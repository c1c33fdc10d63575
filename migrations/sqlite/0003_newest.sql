-- The newest memories of one tier of a place are read with every turn (JV6): nothing else is looked at.
CREATE INDEX memories_by_tier ON memories (persona, scope, scope_of, tier, updated_at);
