"""Forgetting, by the API and by another process, and what must be gone afterwards: from the files, from
contexts, events and replays, and from whatever a model is asked later."""

import time

from .actions import CAST, GROUPS, PEOPLE, SCRATCH, UNFORGOTTEN, wait_while
from .client import events
from .travellers import Travellers

FORGETTABLE = [person for person in PEOPLE if person not in UNFORGOTTEN]
KINDS = ["replay", "preview", "search", "context", "sessions", "memories", "messages", "turns"]
SCRUBBED = 8.0  # seconds within which the files are clean under load


class Erasing:
    """Forgets persons, channels and memories, one after the other, while others talk."""

    def __init__(self, caller, endpoint):
        self.caller, self.endpoint = caller, endpoint
        self.random, self.server = caller.random, caller.server
        self.ledger, self.report, self.locks = caller.ledger, caller.report, caller.locks
        self.scratch = list(SCRATCH)

    def forget(self):
        whom = [self.person, self.person, Travellers(self).forget]
        self.random.choice([*whom, self.channel, self.memory, self.memory])()

    def ready(self):
        return self.server.up.is_set() and not self.server.full

    # -- what is forgotten ------------------------------------------------------------------------

    def person(self):
        """While a capture of their words is under way, and another's turn whose history holds them and whose
        reply quotes them."""
        person = self.random.choice(FORGETTABLE)
        place = self.random.choice(GROUPS)
        with self.locks[person]:
            said = [self.caller.new_message(place, person, text, persona) for text, persona in (
                ("Remember that the {} mast is cracked", "ann"), ("The {} anchor is mine", "bea"))]
            captured = self.endpoint.hold("small-bea", said[1].mark)
            for message in said:
                self.caller.deliver(message, "native")
            replay = self.newest_event(place)
            quoted = self.quoting(place)
            asked = [held for held in (captured, quoted) if held[0].wait(3)]
            known = self.ledger.acknowledged(lambda said: said.person == person)
            about = self.memories_about(person)
            marks = [said.mark for said in known] + [mark for _, mark in about]
            for mark in marks:
                mark.doubtful = True
            beside = f"beside {len(asked)} answers of models that were shown it"
            how, done = self.forget_person(person, place) if known and self.ready() else (None, False)
            for held in (captured, quoted):
                held[1].set()
            if done:
                self.report.count("answers of models held back meanwhile", len(asked))
                self.done(marks, f"forget --person {person} by {how}, {beside}, in {place}", [place], replay)
            if not done:
                for message in known:
                    message.unknown()
                self.lose([memory for memory, _ in about])
            self.caller.pending = [message for message in self.caller.pending if message.person != person]

    def quoting(self, place):
        """Somebody else's turn that quotes everybody; its answer is held back."""
        beside = self.caller.new_message(place, "sam", "quote everybody beside {}", "cas")
        held = self.endpoint.hold("mock-cas", beside.mark)
        self.send_unheard(beside)
        return held

    def send_unheard(self, said):
        """Its head says that it is stored; the turn goes on when nobody listens."""
        said.doors.append("vanishing after the head")
        status = self.server.client("operator").vanishing(
            f"/api/channels/{said.channel}/messages", self.caller.native(said),
            {"idempotency-key": said.key, "accept": "text/event-stream"}, 1, 100)
        said.acked = status == 200

    def forget_person(self, person, place):
        if self.random.random() < 0.5:
            answer = self.server.client("operator").post(
                f"/api/personas/ann/memories/forget?channel={place}", {"person": person, "quotes": True})
            return "api", self.agreed(answer, f"--person {person} in {place}")
        return "command line", self.by_command("--person", person, "--channel", place, "--quotes", "--yes")

    def channel(self):
        place = self.scratch.pop()
        said = [self.caller.new_message(place, "sam", text, persona) for text, persona in (
            ("Remember that the {} keel is green", "ann"), ("I met the {} diver yesterday", "bea"))]
        for message in said:
            self.caller.deliver(message, "native")
        # a kill may come between the erasure and its answer, and later rounds forget this channel again
        for message in said:
            message.mark.doubtful = True
        self.caller.pending = [message for message in self.caller.pending if message not in said]
        if not all(message.acked for message in said) or not self.ready():
            for message in said:
                message.unknown()
            return
        how = self.random.choice(["api", "command line"])
        if how == "api":
            done = self.agreed(self.server.client("operator").post(
                f"/api/personas/ann/memories/forget?channel={place}", {"channel": place, "quotes": True}), place)
        else:
            done = self.by_command("--whole-channel", "--channel", place, "--quotes", "--yes")
        if done:
            self.done([message.mark for message in said], f"forget --whole-channel {place} by {how}", [place], None)
        else:
            for message in said:
                message.unknown()

    def memory(self):
        with self.ledger.lock:
            known = [(key, value) for key, value in self.ledger.memories.items() if value[0].forgotten_at is None]
        if not known or not self.ready():
            return
        (persona, memory), (mark, channel, person) = self.random.choice(known[-200:])
        how = self.random.choice(["api", "command line", "query"])
        mark.doubtful = True
        client = self.server.client("operator")
        where = f"channel={channel}&user={person}"
        if how == "api":
            done = self.agreed(client.request("DELETE", f"/api/personas/{persona}/memories/{memory}?{where}"), memory)
        elif how == "query":
            answer = client.post(f"/api/personas/{persona}/memories/forget?{where}", {"query": str(mark)})
            done = answer.status == 200 and any(found["id"] == memory for found in answer.json()["memories"])
            if answer.status == 200 and not done:
                self.report.violation("a search does not find what it is to forget", f"{mark} of {persona}", answer.body[:300])
        else:
            done = self.by_command(memory, "--persona", persona, "--channel", channel, "--user", person)
        if done:
            self.done([mark], f"forget {memory} of {persona} in {channel} by {how}", [channel], None)
        else:
            self.lose([(persona, memory)])

    def lose(self, memories):
        """Nobody knows what became of these."""
        with self.ledger.lock:
            for memory in memories:
                self.ledger.memories.pop(memory, None)

    def agreed(self, answer, what):
        """Whether the API says that it is done."""
        if answer.status != 200:
            self.report.count(f"not forgotten by the API: status {answer.status}")
            if answer.status not in (0, 503) and self.ready():
                self.report.violation("forgetting by the API fails", f"{what}: {answer.status}", answer.body[:300])
        return answer.status == 200

    def by_command(self, *arguments):
        began = time.monotonic()
        run = self.server.command("memory", "forget", *arguments)
        if run.returncode != 0:
            self.report.count(f"not forgotten by the command line: code {run.returncode}")
        if run.returncode not in (0, 1) or (run.returncode == 1 and self.ready() and "panicked" in run.stderr):
            what = f"{arguments}: code {run.returncode} after {time.monotonic() - began:.1f} s"
            self.report.violation("forgetting by command line fails", what, run.stderr[-300:])
        return run.returncode == 0

    def memories_about(self, person):
        with self.ledger.lock:
            return [(memory, mark) for memory, (mark, _, about) in self.ledger.memories.items()
                    if mark.kind == "u" and about == person and mark.forgotten_at is None]

    # -- what must be gone ------------------------------------------------------------------------

    def newest_event(self, channel):
        """An event to replay from, as late listeners do: the first of a turn that is played now."""
        said = self.caller.new_message(channel, "ned", "We talk of {}", "ann")
        said.doors.append("stream")
        answer = self.server.client("operator").post(
            f"/api/channels/{channel}/messages", self.caller.native(said),
            {"idempotency-key": said.key, "accept": "text/event-stream"})
        said.acked = answer.status == 200
        said.turns.update(event["turn_id"] for event in events(answer.body))
        ids = [line[3:].strip() for line in answer.body.splitlines() if line.startswith("id:")]
        return ids[0] if ids else None

    def done(self, marks, recipe, channels, replay, cast=CAST, asker="sam"):
        now = time.monotonic()
        for mark in marks:
            mark.forgotten_at = now
        self.report.count("marks forgotten", len(marks))
        self.report.count("times something was forgotten")
        gone = {str(mark) for mark in marks}
        self.surfaces(gone, recipe, channels, replay, cast, asker)
        if not wait_while(lambda: self.in_files(gone), SCRUBBED) and self.ready():
            left = self.in_files(gone)
            self.report.violation("what was forgotten is in the files", f"{left} {SCRUBBED:.0f} s later", recipe)

    def in_files(self, gone):
        found = {}
        for path in self.server.data.glob("greenroom.db*"):
            data = path.read_bytes()
            left = [mark for mark in gone if mark.encode() in data]
            if left:
                found[path.name] = left[:3]
        return found

    def surfaces(self, gone, recipe, channels, replay, cast, asker):
        """Everything that tells of a channel, asked after it was forgotten."""
        client = self.server.client("operator")
        for channel in channels:
            turns = self.ledger.acknowledged(lambda said, channel=channel: said.channel == channel and said.turns)
            with self.ledger.lock:
                turns = [turn for said in turns[-6:] for turn in sorted(said.turns)]
            paths = [f"/api/channels/{channel}/messages?limit=100", f"/api/channels/{channel}/sessions"]
            paths += [f"/api/turns/{turn}/context" for turn in turns[-6:]]
            paths += [f"/api/turns/{turn}" for turn in turns[-6:]]
            paths += [f"/api/personas/{name}/memories?channel={channel}&user={asker}" for name in cast]
            for path in paths:
                self.look(gone, path, client.get(path).body, recipe)
            word = min(gone)
            for name in cast[:3]:
                asked = {"text": f"What about the {word[:6]} box, the mast and the anchor?", "persona": name, "user": asker}
                path = f"/api/channels/{channel}/preview"
                self.look(gone, f"{path} for {name}", client.post(path, asked).body, recipe)
                path = f"/api/personas/{name}/memories/search?q=box%20mast%20anchor&channel={channel}&user={asker}"
                self.look(gone, f"search of {name}", self.hits(client.get(path).body), recipe)
            if replay:
                path = f"/api/channels/{channel}/events"
                self.look(gone, f"replay of {path}", client.listen(path, 0.4, replay).body, recipe)
                path = "/api/personas/ann/events"
                self.look(gone, f"replay of {path}", client.listen(path, 0.4, replay).body, recipe)
                for turn in turns[-2:]:
                    path = f"/api/turns/{turn}/events"
                    self.look(gone, f"replay of {path}", client.listen(path, 0.3).body, recipe)
        self.report.count("looks after something was forgotten")

    @staticmethod
    def hits(body):
        """Without the words of the question, which come back with the answer."""
        return body.partition('"hits"')[2] or body

    def look(self, gone, where, text, recipe):
        left = [mark for mark in gone if mark in text]
        if left and self.ready():
            at = text.find(left[0])
            kind = next(kind for kind in KINDS if kind in where)
            self.report.violation(f"what was forgotten is told: {kind}", f"{where}: {left[0]}: …{text[max(0, at - 60):at + 60]!r}…", recipe)
