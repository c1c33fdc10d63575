"""What callers do. Each action checks the answer it gets at once."""

import random
import time

from .client import events

PEOPLE = ["mo", "jo", "kit", "bo", "lu", "sam", "ida", "ned"]
KEYED = ["mo", "jo", "kit"]  # people with a key of their own; they talk in their own channels alone
UNFORGOTTEN = ["sam", "ned"]  # what those who vanish have sent may be on its way when they are forgotten
GROUPS = ["api:pier", "api:deck", "api:hold", "api:quay"]
OWN = [f"api:{name}" for name in KEYED] + [f"api:{name}:thread" for name in KEYED]
SCRATCH = [f"api:scratch{number}" for number in range(400)]
CHANNELS = GROUPS + OWN + SCRATCH + ["api:nowhere"]
CAST = ["ann", "bea", "cas", "dot"]

LINES = [
    "The {} box stands behind the shed", "Where did I leave the {} rope?", "I met the {} captain yesterday",
    "What did we say about the {} ferry?", "tell me of {} slowly", "What do you know?  {}",
]
TO_KEEP = ["Remember that the {} box is red", "I prefer {} tea in the morning", "Keep in mind: the {} key hangs left"]

REFUSED = (400, 401, 403, 404)


class Caller:
    """One worker: a random number generator of its own, and whatever it may do."""

    def __init__(self, number, seed, server, ledger, report, locks):
        self.random = random.Random(f"{seed}/{report.round}/{number}")
        self.server, self.ledger, self.report, self.locks = server, ledger, report, locks
        self.pending = []

    def act(self):
        actions = {
            self.speak: 46, self.repeat: 22, self.add_memory: 8, self.vanish: 6, self.trickle: 4,
            self.unstored: 4, self.read: 6, self.trespass: 4,
        }
        action, = self.random.choices(list(actions), list(actions.values()))
        action()

    # -- messages ---------------------------------------------------------------------------------

    def new_message(self, channel=None, person=None, template=None, persona=None):
        person = person or self.random.choice(PEOPLE)
        if channel is None:
            own = [channel for channel in OWN if channel.split(":")[1] == person]
            channel = self.random.choice(own if own and self.random.random() < 0.5 else GROUPS)
        mark = self.ledger.mark("c", channel, person=person)
        template = template or self.random.choice(TO_KEEP if self.random.random() < 0.35 else LINES)
        persona = persona or self.random.choice(CAST)
        text = template.format(mark)
        if self.random.random() < 0.15 and channel in GROUPS:
            persona, text = None, f"@ann @bea {text}"
        return self.ledger.message(mark, channel, person, persona, text)

    def speak(self):
        said = self.new_message()
        with self.locks[said.person]:
            self.deliver(said)

    def repeat(self):
        """A message that was acknowledged before, by any door, perhaps with another text."""
        known = self.ledger.acknowledged(lambda said: said.channel not in SCRATCH)
        if not known:
            return self.speak()
        said = known[-self.random.randint(1, min(300, len(known)))]
        if self.random.random() < 0.2:
            said = self.random.choice(known)
        with self.locks[said.person]:
            if said.mark.forgotten_at is None:
                self.report.count("repeats")
                self.deliver(said)

    def deliver(self, said, door=None):
        """Sends until it is acknowledged or the server is gone; then it waits for the next round."""
        if not self.once(said, door) and said not in self.pending:
            self.pending.append(said)

    def settle(self):
        """What was not acknowledged is sent again with the same key."""
        pending, self.pending = self.pending, []
        for said in pending:
            if not self.server.up.is_set():
                self.pending.append(said)
                continue
            with self.locks[said.person]:
                if said.mark.forgotten_at is None:
                    self.deliver(said)

    def once(self, said, door=None):
        key = self.key_of(said)
        door = door or self.random.choice(self.doors(said, key))
        said.doors.append(door)
        repeated = said.acked
        client = self.server.client(key)
        if door.startswith("chat"):
            answer = client.post("/v1/chat/completions", self.chat(said, door == "chat stream"), {
                "idempotency-key": said.key, "x-greenroom-channel": said.channel})
        else:
            accept = "text/event-stream" if door == "stream" else "application/json"
            answer = client.post(f"/api/channels/{said.channel}/messages", self.native(said),
                                 {"idempotency-key": said.key, "accept": accept})
        self.report.count(f"sent by {door}")
        if answer.status != 200:
            self.failed(said, door, answer)
            return answer.status in (400, 404, 409, 422)  # a persona that is gone for now; nothing to wait for
        # an operator may be told what is known of others whose messages were answered together
        self.shown(answer, said, said.person if key == said.person else None)
        said.acked = True
        self.report.count("acknowledged")
        {"native": self.told, "stream": self.streamed}.get(door, self.completed)(said, repeated, answer)
        return True

    @staticmethod
    def doors(said, key):
        """Through the chat API an operator speaks for nobody else: what is to be forgotten with its person
        is not said there first."""
        as_themselves = said.acked or key == said.person or said.person in UNFORGOTTEN
        return ["native", "stream"] + (["chat", "chat stream"] if said.persona and as_themselves else [])

    def key_of(self, said):
        own = said.channel.split(":")[1] == said.person
        return said.person if own and said.person in KEYED and self.random.random() < 0.8 else "operator"

    def native(self, said):
        body = {"text": said.text, "user": said.person, **said.options}
        return {**body, "persona": said.persona} if said.persona else body

    def chat(self, said, stream):
        return {"model": said.persona, "stream": stream, "user": said.person,
                "messages": [{"role": "user", "content": said.text}]}

    def failed(self, said, door, answer):
        self.report.count(f"status {answer.status}")
        expected = answer.status in (0, 400, 404, 409, 422, 429, 502, 503, 504) or self.server.full
        if not expected and self.server.up.is_set():
            self.report.violation(f"a message is refused with {answer.status}", answer.body[:300], said.recipe())

    # -- what an answer must be -------------------------------------------------------------------

    def told(self, said, repeated, answer):
        document = answer.json()
        if repeated and not document["duplicate"]:
            self.report.violation("a repeat is taken for a new message", f"message {document['message_id']}, "
                                  f"first acknowledged as {said.message_id}", said.recipe())
        self.same_message(said, document["message_id"])
        for turn in document["turns"]:
            if turn["state"] == "done":
                self.reply(said, turn["persona"], turn["turn_id"], turn["message_id"], turn["text"])

    def streamed(self, said, repeated, answer):
        for event in events(answer.body):
            if "channel" not in event:
                continue  # a notice about the stream itself: closing, lagged, resync
            if event["channel"] != said.channel:
                self.report.violation("an event of another channel", f"{event['channel']}", said.recipe())
            if event["type"] == "turn_started" and not repeated and said.persona:
                self.report.count("turns begun in a stream")
            if event["type"] == "done":
                self.reply(said, event["persona"], event["turn_id"], event["message_id"], event["text"])

    def completed(self, said, repeated, answer):
        turn = {name.lower(): value for name, value in answer.headers.items()}.get("x-greenroom-turn")
        if turn:
            said.turns.add(turn)
        if answer.body.startswith("{"):
            text = answer.json()["choices"][0]["message"]["content"]
            known = said.replies.get(said.persona)
            if known and known[2] not in (None, text) and not self.ledger.holds_doubtful(known[2]):
                self.report.violation("a repeat got another reply", f"{text!r} instead of {known[2]!r}", said.recipe())

    def same_message(self, said, message):
        if said.message_id is not None and said.message_id != message:
            self.report.violation("a repeat is another message", f"{message} instead of {said.message_id}",
                                  said.recipe())
        said.message_id = message

    def reply(self, said, persona, turn, reply, text):
        """At most one of each persona, the same each time."""
        said.turns.add(turn)
        known = said.replies.get(persona)
        if known is None or known[2] is not None and self.ledger.holds_doubtful(known[2]):
            # an answer to several messages, of which one was forgotten, is gone: the others are answered anew
            known = said.replies[persona] = (turn, reply, text)
        if known[1] != reply or known[2] != text:
            self.report.violation("a repeat got another reply", f"{(turn, reply, text)} instead of {known}",
                                  said.recipe())

    def shown(self, answer, said, person):
        """Nobody reads what is not theirs."""
        for mark in self.ledger.marks_in(answer.body):
            why = self.ledger.foreign(mark, said.channel, None, person)
            if why:
                at = answer.body.find(str(mark))
                self.report.violation("a caller was shown what is not theirs", f"{mark}, {why}: "
                                      f"…{answer.body[max(0, at - 80):at + 80]!r}…", said.recipe())

    # -- others -----------------------------------------------------------------------------------

    def add_memory(self):
        persona, person = self.random.choice(CAST), self.random.choice(PEOPLE)
        kind = self.random.choice(["c", "c", "g", "u"])
        channel = self.random.choice(GROUPS)
        mark = self.ledger.mark(kind, channel if kind == "c" else None, owner=persona,
                                person=person if kind == "u" else None)
        scope = {"c": "channel", "g": "global", "u": "user"}[kind]
        # what is said about a person is not said while they are forgotten
        with self.locks[person]:
            answer = self.server.client("operator").post(
                f"/api/personas/{persona}/memories?channel={channel}&user={person}",
                {"text": f"The {mark} lamp burns at night", "scope": scope})
            if answer.status in (200, 201):
                self.report.count("memories added")
                with self.ledger.lock:
                    self.ledger.memories[persona, answer.json()["memory"]["id"]] = (mark, channel, person)

    def vanish(self):
        """A caller who is gone before or while the answer comes. Stored or not, never both."""
        said = self.new_message(person=self.random.choice(UNFORGOTTEN), channel=self.random.choice(GROUPS))
        said.persona = said.persona or "ann"
        stream = self.random.random() < 0.7
        headers = {"idempotency-key": said.key, "accept": "text/event-stream" if stream else "*/*"}
        sent, read = self.random.choice([(0.5, 0), (1, 0), (1, 60), (1, 600)])
        said.doors.append(f"vanishing after {sent} of the body and {read} bytes")
        status = self.server.client("operator").vanishing(
            f"/api/channels/{said.channel}/messages", self.native(said), headers, sent, read)
        self.report.count("callers who vanished")
        if status == 200:
            said.acked = True  # the head says that it is stored
            self.report.count("acknowledged")

    def trickle(self):
        said = self.new_message()
        said.persona = said.persona or "ann"
        said.doors.append("trickled")
        with self.locks[said.person]:
            answer = self.server.client(self.key_of(said)).trickled(
                f"/api/channels/{said.channel}/messages", self.native(said),
                {"idempotency-key": said.key}, 0.2 + self.random.random() * 0.4)
            if answer.status == 200:
                said.acked = True
                self.report.count("acknowledged")
                self.told(said, False, answer)

    def unstored(self):
        """A conversation that comes with the request: nothing of it is kept."""
        mark = self.ledger.mark("s")
        answer = self.server.client("operator").post("/v1/chat/completions", {
            "model": self.random.choice(CAST), "stream": self.random.random() < 0.5,
            "messages": [{"role": "user", "content": f"Remember the {mark} box for me"}]})
        self.report.count("conversations that are not stored")
        for shown in self.ledger.marks_in(answer.body):
            if shown is not mark and shown.kind != "g":
                self.report.violation("a caller was shown what is not theirs", f"{shown} for {mark}", answer.body[:300])

    def read(self):
        """A person with a key reads: what is theirs, and what is everybody's."""
        person = self.random.choice(KEYED)
        channel, persona = f"api:{person}", self.random.choice(CAST)
        path = self.random.choice([
            f"/api/channels/{channel}/messages?limit=50", f"/api/channels/{channel}:thread/messages?limit=50",
            f"/api/channels/{channel}/sessions", f"/api/personas/{persona}/memories",
            f"/api/personas/{persona}/memories/search?q=box", "/api/channels", "/api/usage",
        ])
        answer = self.server.client(person).get(path)
        for mark in self.ledger.marks_in(answer.body):
            place = self.ledger.channels[mark.place]
            theirs = mark.kind == "g" or (mark.kind == "u" and PEOPLE[mark.person] == person) or \
                (mark.kind == "c" and place.split(":")[1] == person)
            if not theirs:
                self.report.violation("a user's key reads what is foreign", f"{person}'s key: {path}: {mark} of {place}")
        self.report.count("reads of people")

    def trespass(self):
        """A person with a key goes where it may not."""
        person = self.random.choice(KEYED)
        other = self.random.choice([name for name in KEYED if name != person])
        known = self.ledger.acknowledged(lambda said: said.turns and said.channel.split(":")[1] != person)
        turn = self.random.choice(sorted(self.random.choice(known).turns)) if known else "none"
        channel = self.random.choice(GROUPS + [f"api:{other}"])
        method, path, body = self.random.choice([
            ("GET", f"/api/channels/{channel}/messages", None), ("GET", f"/api/channels/{channel}/events", None),
            ("POST", f"/api/channels/{channel}/messages", {"text": "let me in", "persona": "ann"}),
            ("POST", f"/api/channels/{channel}/preview", {"text": "let me in", "persona": "ann"}),
            ("POST", f"/api/channels/api:{person}/messages", {"text": "I am another", "user": other}),
            ("GET", f"/api/turns/{turn}", None), ("GET", f"/api/turns/{turn}/context", None),
            ("GET", f"/api/turns/{turn}/events", None), ("GET", "/metrics", None),
            ("GET", f"/api/personas/ann/memories?channel={channel}", None),
            ("GET", f"/api/personas/ann/memories?user={other}", None),
            ("POST", "/api/personas/ann/memories", {"text": "for everybody", "scope": "global"}),
        ])
        answer = self.server.client(person).request(method, path, body)
        self.report.count("trespasses refused")
        if answer.status not in (0, 429, 503) + REFUSED:
            marks = [str(mark) for mark in self.ledger.marks_in(answer.body)][:3]
            what = f"{person}'s key: {method} {path}: {answer.status}, with {marks or 'no text'}"
            self.report.violation("a user's key enters what is foreign", what)


def wait_while(condition, seconds):
    """Whether a condition came to an end within so many seconds."""
    end = time.monotonic() + seconds
    while condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True
