"""What must hold of the database, whatever happened. Looks at a copy, so that the server still recovers the
original by itself."""

import contextlib
import pathlib
import shutil
import sqlite3
import tempfile
import zlib

from . import chains
from .clubs import kept
from .ledger import MARK

# (kind, statement): each row is a violation
STATEMENTS = [
    ("a message is stored twice",
     "SELECT channel_id, event_id, count(*) FROM messages GROUP BY 1, 2 HAVING count(*) > 1"),
    ("a persona has two replies to a message",
     "SELECT trigger_id, persona, count(*) FROM turns WHERE state = 'done' GROUP BY 1, 2 HAVING count(*) > 1"),
    ("a turn answers a message of another channel",
     "SELECT t.id, t.trigger_id, t.channel_id, m.channel_id FROM turns t JOIN messages m ON m.id = t.trigger_id"
     " WHERE m.channel_id <> t.channel_id OR (m.author <> 'user' AND m.author_id = t.persona)"),
    ("a turn has a reply of another turn",
     "SELECT t.id, t.reply_id, m.turn_id FROM turns t JOIN messages m ON m.id = t.reply_id"
     " WHERE m.turn_id IS NOT t.id OR m.channel_id <> t.channel_id"),
    ("a turn is done without a reply, or has one and is not done",
     "SELECT id, state, reply_id FROM turns WHERE (state = 'done') <> (reply_id IS NOT NULL)"),
    ("a reply belongs to no turn",
     "SELECT m.id, m.turn_id FROM messages m LEFT JOIN turns t ON t.id = m.turn_id AND t.reply_id = m.id"
     " WHERE m.turn_id IS NOT NULL AND t.id IS NULL"),
    ("a turn has replied twice",
     "SELECT turn_id, count(*) FROM messages WHERE turn_id IS NOT NULL GROUP BY 1 HAVING count(*) > 1"),
    ("a vector belongs to nothing",
     "SELECT item, item_id FROM vectors WHERE (item = 'message' AND item_id NOT IN (SELECT id FROM messages))"
     " OR (item = 'memory' AND item_id NOT IN (SELECT id FROM memories))"),
    ("a memory is stored twice",
     "SELECT persona, scope, scope_of, text, count(*) FROM memories WHERE tier <> 'conversation' GROUP BY 1, 2, 3, 4 HAVING count(*) > 1"),
]

# the same once nothing is under way
AT_REST = [
    ("a turn never ended", "SELECT id, state, persona FROM turns WHERE ended_at IS NULL"),
    ("a message was never settled", "SELECT id, event_id FROM messages WHERE unhandled"),
]


def under_way(data):
    """Whether a turn has not ended in the store. An end that a full disk refused is stored some seconds later."""
    with contextlib.closing(sqlite3.connect(f"file:{data}/greenroom.db?mode=ro", uri=True)) as connection:
        try:
            return connection.execute("SELECT EXISTS (SELECT 1 FROM turns WHERE ended_at IS NULL)").fetchone()[0]
        except sqlite3.OperationalError:
            return True  # it is being written


class Store:
    """One look at the store."""

    def __init__(self, data, ledger, report):
        self.ledger, self.report = ledger, report
        self.pages = 0  # bytes of the database with what its log holds
        self.copy = pathlib.Path(tempfile.mkdtemp(prefix="greenroom-campaign-copy-"))
        for suffix in ("", "-wal"):
            path = pathlib.Path(f"{data}/greenroom.db{suffix}")
            if path.exists():
                shutil.copy(path, self.copy / path.name)

    def check(self, at_rest=False):
        try:
            self.bytes()
            connection = sqlite3.connect(self.copy / "greenroom.db")
            try:
                self.rows(connection, at_rest)
            finally:
                connection.close()
        except sqlite3.Error as error:
            self.report.violation("the database cannot be read", repr(error))
        finally:
            shutil.rmtree(self.copy, ignore_errors=True)
        self.report.count("looks at the whole store")

    def bytes(self):
        """Nothing forgotten is left in the database or its log."""
        gone = self.ledger.forgotten()
        for path in sorted(self.copy.iterdir()):
            text = path.read_bytes().decode("latin-1")
            left = {found[0] for found in MARK.finditer(text) if found[0] in gone}
            for mark in sorted(left)[:5]:
                at = text.find(mark)
                around = "".join(c if c.isprintable() else "·" for c in text[max(0, at - 60):at + 60])
                what = f"{path.name}: {mark}: …{around}…"
                self.report.violation("what was forgotten is in the files", what, same=mark)

    def rows(self, connection, at_rest):
        def ask(statement, *values):
            return connection.execute(statement, values).fetchall()

        self.pages = ask("PRAGMA page_count")[0][0] * ask("PRAGMA page_size")[0][0]
        integrity = ask("PRAGMA integrity_check")
        if integrity != [("ok",)]:
            self.report.violation("integrity_check", str(integrity[:5]))
        broken = ask("PRAGMA foreign_key_check")
        if broken:
            self.report.violation("foreign_key_check", str(broken[:5]))
        for kind, statement in STATEMENTS + (AT_REST if at_rest else []):
            for row in ask(statement)[:3]:
                self.report.violation(kind, str(row))
        self.messages(ask)
        self.replies(ask)
        self.places(ask)
        self.receipts(ask)
        self.memories(ask)
        chains.check(ask, self.report)
        kept(ask, self.ledger, self.report)
        for table in ("messages", "turns", "memories", "vectors"):
            self.report.counts[f"rows of {table}"] = ask(f"SELECT count(*) FROM {table}")[0][0]

    def messages(self, ask):
        """Each acknowledged message is stored once, as it was acknowledged."""
        stored = {(channel, event): (number, text) for channel, event, number, text in ask(
            "SELECT c.key, m.event_id, m.id, m.text FROM messages m JOIN channels c ON c.id = m.channel_id"
            " WHERE m.turn_id IS NULL")}
        for said in self.ledger.acknowledged():
            found = stored.get((said.channel, said.key))
            if found is None:
                self.report.violation("an acknowledged message is lost", said.key, said.recipe())
            elif found[1] != said.text or said.message_id not in (None, found[0]):
                self.report.violation("an acknowledged message is stored otherwise", str(found), said.recipe())

    def replies(self, ask):
        """Each reply that a caller has read is stored, as it was read."""
        stored = {number: (turn, text) for number, turn, text in ask(
            "SELECT id, turn_id, text FROM messages WHERE turn_id IS NOT NULL")}
        answered = {turn: key for turn, key in ask(
            "SELECT t.id, m.event_id FROM turns t JOIN messages m ON m.id = t.trigger_id")}
        for said in self.ledger.acknowledged():
            for persona, (turn, reply, text) in list(said.replies.items()):
                if text is None or self.ledger.holds_doubtful(text):
                    continue  # an answer to several messages, of which one was forgotten
                if stored.get(reply) != (turn, text) or turn not in answered:
                    self.report.violation("a reply that was read is lost", f"{persona}: {reply} of {turn}: {text!r}, "
                                          f"stored {stored.get(reply)}", said.recipe())

    def places(self, ask):
        """Every text lies where its marks belong."""
        texts = ask("SELECT c.key, 'message', m.text FROM messages m JOIN channels c ON c.id = m.channel_id")
        texts += ask("SELECT scope_of, 'memory of ' || persona, text FROM memories WHERE scope = 'channel'")
        texts += ask("SELECT c.key, 'summary', s.text FROM summaries s JOIN channels c ON c.id = s.channel_id")
        for channel, what, text in texts:
            persona = what.removeprefix("memory of ") if what.startswith("memory of") else None
            for mark in self.ledger.marks_in(text):
                why = self.ledger.foreign(mark, channel, persona)
                if why:
                    self.report.violation(f"a {what.split()[0]} holds what is foreign", f"in {channel}: {mark}, {why}", text[:200])

    def receipts(self, ask):
        """No receipt holds what is forgotten: they are deflated, so that the bytes of the file do not show it."""
        gone = self.ledger.forgotten()
        for reply, receipt in ask("SELECT reply_id, receipt FROM receipts"):
            text = zlib.decompress(receipt, -zlib.MAX_WBITS).decode()
            for mark in sorted({found[0] for found in MARK.finditer(text) if found[0] in gone})[:3]:
                self.report.violation("a receipt holds what was forgotten", f"of reply {reply}: {mark}", same=mark)
            self.report.count("receipts inflated")

    def memories(self, ask):
        stored = ask("SELECT persona, text FROM memories")
        known = {(persona, found[0]) for persona, text in stored for found in MARK.finditer(text)}
        with self.ledger.lock:
            added = [(key, str(value[0])) for key, value in self.ledger.memories.items() if value[0].forgotten_at is None]
        for key, mark in added:
            if (key[0], mark) not in known:
                self.report.violation("an acknowledged memory is lost", f"{key}: {mark}")
