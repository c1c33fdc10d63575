"""What people told is found again: by themselves, after every crash and after others were forgotten.

The other checks say what must not be shown; a program that forgets everything would pass them. Each keepsake is told
once, in words that nobody else uses, so that no other memory corrects it or stands before it.
"""

import urllib.parse

from .actions import GROUPS, KEYED, UNFORGOTTEN
from .clubs import ALONE, HOMES, MEMBERS

ASKED = "Remember that the {} {} lies under {}"
IN_PASSING = "I left the {} {} behind {} today"  # no memory: the message itself is found, in other chats as well
NEWEST, OLDER = 8, 12  # keepsakes that are asked for after a start
CONSONANTS, VOWELS, ENDS = "bdfgklmnprstvz", "aeiou", "lnrst"


class Keepsake:
    def __init__(self, said, words, told_in):
        self.said, self.words, self.told_in = said, words, told_in

    def is_certain(self):
        mark = self.said.mark
        return mark.forgotten_at is None and not mark.doubtful and self.said.acked


class Keepsakes:
    """Those of the whole campaign."""

    def __init__(self, server, report):
        self.server, self.report = server, report
        self.kept = []

    def tell(self, caller):
        """One more, where the reply says that the turn went well: what is asked for is remembered before the reply."""
        person, channel, persona = self.place(caller.random)
        words = [word(caller.random), word(caller.random)]
        follows = persona in MEMBERS
        mark = caller.ledger.mark("p" if follows else "c", channel, person=person)
        text = (IN_PASSING if follows and caller.random.random() < 0.4 else ASKED).format(*words, mark)
        said = caller.ledger.message(mark, channel, person, persona, text)
        with caller.locks[person]:
            caller.deliver(said, "native")
            if persona in said.replies:
                self.kept.append(Keepsake(said, words, self.report.round))
                self.report.count("keepsakes told")

    @staticmethod
    def place(random):
        """Who tells it where, and to whom."""
        what = random.random()
        if what < 0.6:
            person = random.choice(list(HOMES))
            return person, random.choice(HOMES[person]), random.choice(MEMBERS)
        if what < 0.8:
            person = random.choice(KEYED)
            return person, f"api:{person}", random.choice(["ann", "dot"])
        return random.choice(UNFORGOTTEN), random.choice(GROUPS), "ann"

    def check(self, random, number=OLDER):
        """Asks for the newest and for some of the others."""
        self.kept = [keepsake for keepsake in self.kept if keepsake.is_certain()]
        older = self.kept[:-NEWEST]
        for keepsake in random.sample(older, min(number, len(older))) + self.kept[-NEWEST:]:
            self.by_search(keepsake)
            self.by_context(keepsake)

    def by_search(self, keepsake):
        """With their own key, where they have one and it was told in their own channel."""
        said = keepsake.said
        own = said.person in self.server.keys and said.channel == f"api:{said.person}"
        view = "" if own else f"&channel={said.channel}&user={said.person}"
        path = f"/api/personas/{said.persona}/memories/search?q={urllib.parse.quote(' '.join(keepsake.words))}{view}"
        answer = self.server.client(said.person if own else "operator").get(path)
        self.judge(keepsake, "a search", path, answer)

    def by_context(self, keepsake):
        """What the persona would be shown: in every chat of theirs, if its memory follows them."""
        said = keepsake.said
        for channel in HOMES[said.person] if said.channel in ALONE else [said.channel]:
            asked = {"text": f"Where is the {' '.join(keepsake.words)}?", "persona": said.persona, "user": said.person}
            answer = self.server.client("operator").post(f"/api/channels/{channel}/preview", asked)
            elsewhere = "" if channel == said.channel else " of another chat"
            self.judge(keepsake, f"the context{elsewhere}", f"preview in {channel}", answer)

    def judge(self, keepsake, where, path, answer):
        if answer.status != 200:
            if answer.status not in (0, 429, 503):
                self.report.violation("people cannot ask for what they told", f"{path}: {answer.status}", answer.body[:300])
            return
        self.report.count(f"keepsakes looked for in {where}")
        mark = keepsake.said.mark
        if str(mark) not in answer.body:
            told = "asked to be kept" if keepsake.said.text.startswith(ASKED[:8]) else "told in passing"
            what = f"{mark}, told in round {keepsake.told_in}, is not in {where}: {path}"
            self.report.violation(f"what was {told} is not found again", what, keepsake.said.recipe(), f"{mark} {where}")


def word(random):
    """One of some millions that no language has."""
    return "".join(random.choice(CONSONANTS) + random.choice(VOWELS) for _ in range(3)) + random.choice(ENDS)
