-- The newest preferences of a scope are read with every turn of the profile `tiers`, however many facts there are.
CREATE INDEX memories_by_kind ON memories (persona, scope, scope_of, tier, kind, updated_at);
