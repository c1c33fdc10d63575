-- Turns whose exchange was left out of capture while too much waited, until it is captured. The oldest first:
-- ids of turns ascend with time.
CREATE TABLE postponed_captures (
    turn_id TEXT PRIMARY KEY REFERENCES turns (id) ON DELETE CASCADE
) WITHOUT ROWID;
