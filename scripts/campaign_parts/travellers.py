"""People whom memory follows from chat to chat, and who are forgotten everywhere at once.

Each has two chats with the personas and speaks in a room with others. What they told in one chat is known in the other;
once they are forgotten it is known in none, although a turn in the other chat was shown it and is still under way.
"""

from .clubs import HOMES, MEMBERS, TRAVELLERS, YARD

TOLD = {  # and the question in the other chat
    "Remember that the {} mast is cracked": "Is the mast cracked?",
    "Keep in mind: the {} anchor is mine": "Whose is the anchor?",
    "I left the {} box behind the shed": "Where did I leave the box?",
}


class Travellers:
    """Forgets one of them, for the thread that forgets."""

    def __init__(self, erasing):
        self.erasing, self.caller, self.random = erasing, erasing.caller, erasing.random
        self.ledger, self.report, self.server = erasing.ledger, erasing.report, erasing.server

    def forget(self):
        person = self.random.choice(TRAVELLERS)
        with self.erasing.locks[person]:
            told, asked_in = HOMES[person] if self.random.random() < 0.5 else HOMES[person][::-1]
            persona = self.random.choice(MEMBERS)
            text, question = self.random.choice(list(TOLD.items()))
            for channel in (told, YARD):
                self.caller.deliver(self.say(channel, person, persona, text), "native")
            self.known_elsewhere(person, asked_in, persona, question)
            held = self.asking(person, asked_in, persona, question)
            was_shown = held[0].wait(3)
            known = self.ledger.acknowledged(lambda said: said.person == person)
            for said in known:
                said.mark.doubtful = True
            place = self.random.choice([*HOMES[person], YARD])
            ready = known and self.erasing.ready()
            how, done = self.erasing.forget_person(person, place) if ready else (None, False)
            held[1].set()
            if done:
                self.report.count("travellers forgotten")
                self.report.count("answers of models held back meanwhile", was_shown)
                beside = "beside a turn in another chat" if was_shown else "beside no turn"
                self.erasing.done([said.mark for said in known], f"forget --person {person} by {how}, {beside}, in {place}",
                                  [*HOMES[person], YARD], None, MEMBERS, person)
            else:
                for said in known:
                    said.unknown()
            self.caller.pending = [said for said in self.caller.pending if said.person != person]

    def say(self, channel, person, persona, text):
        mark = self.ledger.mark("p", channel, person=person)
        said = self.ledger.message(mark, channel, person, persona, text.format(mark))
        said.options = {"group": channel == YARD}
        return said

    def asking(self, person, channel, persona, question):
        """A turn that is shown what the person told elsewhere and quotes it; its answer is held back."""
        said = self.say(channel, person, persona, f"{question} quote everybody beside {{}}")
        held = self.erasing.endpoint.hold(f"mock-{persona}", said.mark)
        self.erasing.send_unheard(said)
        return held

    def known_elsewhere(self, person, channel, persona, question):
        """Counts how often what is told is known in the other chat, so that there is something to forget there."""
        asked = {"text": question, "persona": persona, "user": person}
        answer = self.server.client("operator").post(f"/api/channels/{channel}/preview", asked)
        memories = str(answer.json().get("memories"))
        elsewhere = [mark for mark in self.ledger.marks_in(memories) if self.ledger.channels[mark.place] != channel]
        self.report.count("looks into another chat of a traveller")
        self.report.count("of these, it knew what was told elsewhere", bool(elsewhere))
        for mark in elsewhere:
            if self.ledger.people[mark.person] != person:
                self.report.violation("a context shows what another person told", f"{mark} in {channel}", answer.body[:300])

