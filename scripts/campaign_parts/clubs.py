"""Rooms of personas that answer everything, people and a bot; and the same personas one to one.

Two promises are tried here. A conversation among personas ends (`chains.py`). And memory follows the person: what
somebody tells a persona one to one is shown to it in no room, and to nobody else.
"""

from .actions import LINES, TO_KEEP
from .chains import BOT, CROWDED, LIMITED

CLUBS = [CROWDED, LIMITED]
GUESTS = ["pat", "quin"]
TRAVELLERS = ["rex", "una"]  # guests who are forgotten now and then (`travellers.py`)
YARD = "api:yard"  # a room where a persona answers those who name it
# each talks with the personas one to one in two chats; memory follows them from one to the other
HOMES = {guest: [f"api:{guest}", f"api:{guest}-attic"] for guest in GUESTS + TRAVELLERS}
ALONE = {channel: guest for guest, homes in HOMES.items() for channel in homes}
MEMBERS = ["tik", "tok"]


class Clubs:
    """One caller that talks in the rooms, and one to one."""

    def __init__(self, caller):
        self.caller, self.random = caller, caller.random
        self.server, self.report = caller.server, caller.report

    def act(self):
        actions = {self.club: 10, self.bot: 4, self.alone: 10, self.yard: 3, self.manage: 2}
        action, = self.random.choices(list(actions), list(actions.values()))
        action()

    def club(self):
        self.say(self.random.choice(CLUBS), self.random.choice(GUESTS), None)

    def bot(self):
        self.say(self.random.choice(CLUBS), BOT, None)

    def alone(self):
        guest = self.random.choice(list(HOMES))
        self.say(self.random.choice(HOMES[guest]), guest, self.random.choice(MEMBERS))

    def yard(self):
        self.say(YARD, self.random.choice(list(HOMES)), self.random.choice(MEMBERS))

    def say(self, channel, person, persona):
        mark = self.caller.ledger.mark("p", channel, person=person)
        text = self.random.choice(TO_KEEP + LINES).format(mark)
        said = self.caller.ledger.message(mark, channel, person, persona, text)
        # a guest may be the only one who has spoken yet
        said.options = {"bot": person == BOT, "group": channel not in ALONE}
        with self.caller.locks[person]:
            self.caller.deliver(said, "native")
        self.report.count("messages one to one" if channel in ALONE else "messages to rooms of personas")

    def manage(self):
        """A persona goes and comes back, or the room is quiet for a moment."""
        channel, client = self.random.choice(CLUBS), self.server.client("operator")
        if self.random.random() < 0.5:
            client.request("DELETE", f"/api/channels/{channel}/members/tok")
            client.post(f"/api/channels/{channel}/members", {"persona": "tok"})
        else:
            client.post(f"/api/channels/{channel}/quiet", {"for_secs": 1})
            client.request("DELETE", f"/api/channels/{channel}/quiet")
        self.report.count("changes of rooms")


def kept(ask, ledger, report):
    """What is kept of a person is kept with that person, and privately where it was told one to one."""
    for scope, of, persona, text in ask(
            "SELECT scope, scope_of, persona, text FROM memories WHERE scope IN ('user', 'private')"):
        for mark in ledger.marks_in(text):
            if mark.kind != "p":
                continue
            person, alone = ledger.people[mark.person], ledger.channels[mark.place] in ALONE
            if of.split(":", 1)[-1] != person or (alone and scope == "user"):
                report.violation("a memory is kept with the wrong person", f"{scope} of {of}: {mark} of {person}", text[:200])
            report.count("memories that follow a person")
