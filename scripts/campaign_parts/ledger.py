"""What was sent, what was acknowledged, and who may be shown what.

Every text that the campaign sends holds a mark: one word that tells where it was said, by whom, and whose it
is. A mark that turns up in a wrong place, or after it was forgotten, is a broken promise:

    zq KIND PLACE a OWNER p PERSON n SERIAL q      zqc3axp2n000123q

KIND is c (holds in the channel PLACE), g (a memory of the persona OWNER, everywhere), u (a memory of the
persona OWNER about PERSON), p (follows PERSON, and privately if PLACE is theirs alone), or s (a conversation
that is not stored). OWNER is x where it is nobody's.
"""

import re
import threading
import time

MARK = re.compile(r"zq([cgups])(\d+)a(x|\d+)p(\d+)n(\d{6,})q")


class Mark:
    """One mark and what became of it."""

    def __init__(self, kind, place, owner, person, serial):
        self.kind, self.place, self.owner, self.person, self.serial = kind, place, owner, person, serial
        self.sent_at = time.monotonic()
        self.forgotten_at = None
        self.doubtful = False  # it is being forgotten, or nobody knows whether it was

    def __str__(self):
        owner = "x" if self.owner is None else self.owner
        return f"zq{self.kind}{self.place}a{owner}p{self.person}n{self.serial:06}q"


class Said:
    """One message: its key, and all that was ever acknowledged of it."""

    def __init__(self, mark, channel, key, person, persona, text):
        self.mark, self.channel, self.key, self.person = mark, channel, key, person
        self.persona, self.text = persona, text
        self.options = {}    # further fields of the native API
        self.message_id = None
        self.acked = False
        self.replies = {}    # persona -> (turn, reply's id, text)
        self.turns = set()
        self.doors = []      # how it was sent, in order

    def unknown(self):
        """Nobody knows what became of it: what was acknowledged may be gone, and it may be sent anew."""
        self.acked, self.message_id = False, None
        self.replies, self.turns = {}, set()

    def recipe(self):
        return (
            f"channel {self.channel}, key {self.key}, person {self.person}, persona {self.persona}, "
            f"text {self.text!r}, sent by {' then '.join(self.doors[-6:])}"
        )


class Ledger:
    """All marks and messages. Safe for threads."""

    def __init__(self, channels, personas, people, alone):
        self.channels, self.personas, self.people = channels, personas, people
        self.alone = alone   # channels of one person each, in which memory follows the person
        self.lock = threading.Lock()
        self.marks = {}
        self.said = {}
        self.memories = {}   # (persona, memory's id) -> mark, acknowledged by the API
        self.serial = 0

    def mark(self, kind, channel=None, owner=None, person=None):
        place = self.channels.index(channel) if channel else 0
        owner = None if owner is None else self.personas.index(owner)
        person = self.people.index(person) if person else 0
        with self.lock:
            self.serial += 1
            mark = Mark(kind, place, owner, person, self.serial)
            self.marks[self.serial] = mark
            return mark

    def message(self, mark, channel, person, persona, text):
        key = f"k{mark.serial}"
        said = Said(mark, channel, key, person, persona, text)
        with self.lock:
            self.said[channel, key] = said
        return said

    def marks_in(self, text):
        """The marks of a text, each once, in the order in which they stand there last."""
        serials = list(dict.fromkeys(int(found[4]) for found in reversed(MARK.findall(text))))
        return [self.marks[serial] for serial in reversed(serials) if serial in self.marks]

    def acknowledged(self, where=None):
        """Messages that may be repeated: acknowledged and not forgotten."""
        with self.lock:
            return [
                said for said in self.said.values()
                if said.acked and said.mark.forgotten_at is None and (where is None or where(said))
            ]

    def holds_doubtful(self, text):
        """Whether a text may have gone with something that was forgotten."""
        return any(mark.doubtful or mark.forgotten_at is not None for mark in self.marks_in(text))

    def forgotten(self):
        with self.lock:
            return {str(mark): mark for mark in self.marks.values() if mark.forgotten_at is not None}

    def foreign(self, mark, channel=None, persona=None, person=None):
        """Why a mark may not be shown in a channel, to a persona that talks with a person. What is not
        known is not held against it."""
        owner = None if mark.owner is None else self.personas[mark.owner]
        if mark.kind == "s":
            return "it was said in a conversation that is not stored"
        if mark.kind == "c" and channel is not None and self.channels[mark.place] != channel:
            return f"it belongs to {self.channels[mark.place]}"
        if owner is not None and persona is not None and owner != persona:
            return f"it is a memory of {owner}"
        if mark.kind == "u" and person is not None and self.people[mark.person] != person:
            return f"it is a memory about {self.people[mark.person]}"
        if mark.kind == "p" and channel is not None and self.channels[mark.place] != channel:
            whose, told = self.people[mark.person], self.channels[mark.place]
            if person is None and channel in self.alone:
                person = self.alone[channel]
            if person is not None and person != whose:
                return f"it is what {whose} told"
            if told in self.alone and channel not in self.alone:
                return f"{whose} told it one to one in {told}"
        return None
