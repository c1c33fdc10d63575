"""A round: load, faults, an end of the process, a look at all that must hold, and a new start."""

import random
import threading
import time

from .actions import CAST, KEYED, PEOPLE, Caller, wait_while
from .clubs import BOT, HOMES, Clubs
from .erasing import Erasing
from .keepsakes import Keepsakes
from .server import persona_file
from .store_checks import Store, under_way

WORKERS = 10
ALL = 400  # keepsakes that are asked for at the end


class Rounds:
    """Runs rounds until the time is over."""

    def __init__(self, server, ledger, endpoint, report, seed, limits):
        self.server, self.ledger, self.endpoint = server, ledger, endpoint
        self.report, self.seed, self.limits = report, seed, limits
        self.locks = {person: threading.Lock() for person in PEOPLE + [*HOMES, BOT]}
        self.callers = []
        self.keepsakes = Keepsakes(server, report)
        self.stop = threading.Event()

    def prepare(self):
        self.server.make_key("operator", "operator")
        for person in KEYED + list(HOMES):
            self.server.make_key(person, "user", "--user", person)
        self.server.make_key("revoked", "user", "--user", "eve")
        self.server.command("key", "revoke", str(len(self.server.keys)))
        return self.server.start()

    def run(self, until, seconds):
        """Rounds of so many seconds; the last one ends well and is looked at at rest."""
        while not self.report.violations.get("the server does not start"):
            last = time.monotonic() + seconds * 1.5 > until
            self.one(seconds, last)
            if last:
                return

    def one(self, seconds, last):
        report = self.report
        report.round += 1
        rng = random.Random(f"{self.seed}/{report.round}/faults")
        self.stop.clear()
        pending = [said for caller in self.callers for said in caller.pending]
        self.callers = [Caller(number, self.seed, self.server, self.ledger, report, self.locks)
                        for number in range(WORKERS)]
        self.callers[0].pending = pending
        threads = [threading.Thread(target=self.work, args=(caller,)) for caller in self.callers]
        threads += [threading.Thread(target=self.clubs), threading.Thread(target=self.tell)]
        threads += [threading.Thread(target=self.faults, args=(rng, seconds)),
                    threading.Thread(target=self.listen, args=(rng,)),
                    threading.Thread(target=self.watch)]
        for thread in threads:
            thread.start()
        self.stop.wait(seconds)
        self.stop.set()
        if last:
            # nothing is under way when the server is asked to end
            self.join(threads)
            for caller in self.callers:
                caller.settle()
            self.idle()
            self.keepsakes.check(rng, ALL)
            self.server.stop()
        else:
            time.sleep(rng.random() * 0.3)
            self.server.kill()
            report.count("SIGKILL")
            self.join(threads)
        self.server.free_disk()
        self.server.full = False
        store = Store(self.server.data, self.ledger, report)
        store.check(at_rest=last)
        self.server.check_log()
        self.sizes(store.pages)
        if not last and self.server.start():
            self.after_start()
        report.say(f"round {report.round}: {report.counts['acknowledged']} acknowledged, "
                   f"{report.counts['repeats']} repeats, {report.counts['marks forgotten']} marks forgotten, "
                   f"{self.endpoint.asked} requests to models, {self.server.peak} MB at most, "
                   f"{self.server.bytes_on_disk() >> 10} KB on disk, {report.found} violations")

    def join(self, threads):
        for thread in threads:
            thread.join(60)
            if thread.is_alive():
                self.report.violation("a caller gets no answer", f"{thread.name} still waits after 60 s")

    def work(self, caller):
        caller.settle()
        while not self.stop.is_set():
            caller.act()

    def clubs(self):
        """Rooms of personas, and the same personas one to one."""
        caller = Caller("clubs", self.seed, self.server, self.ledger, self.report, self.locks)
        self.callers.append(caller)
        clubs = Clubs(caller)
        while not self.stop.is_set():
            if self.server.full:
                self.stop.wait(0.1)  # whether nothing is acknowledged then is tried elsewhere
            else:
                clubs.act()

    def tell(self):
        """People tell what they will ask for after the next start."""
        caller = Caller("keepsakes", self.seed, self.server, self.ledger, self.report, self.locks)
        self.callers.append(caller)
        while not self.stop.wait(0.5 + caller.random.random()):
            if not self.server.full:
                self.keepsakes.tell(caller)

    def watch(self):
        while not self.stop.wait(0.5):
            self.server.look_at_memory()

    def listen(self, rng):
        """Somebody with a key listens to their own channel all the time; what they hear is theirs."""
        person = rng.choice(KEYED)
        while not self.stop.is_set():
            heard = self.server.client(person).listen(f"/api/channels/api:{person}/events", 2).body
            for mark in self.ledger.marks_in(heard):
                place = self.ledger.channels[mark.place]
                if mark.kind == "s" or (mark.kind == "c" and place != f"api:{person}"):
                    self.report.violation("a listener hears what is foreign", f"{person}: {mark} of {place}")
            self.report.count("seconds listened", 2)

    # -- faults -----------------------------------------------------------------------------------

    def faults(self, rng, seconds):
        """Forgetting, changed files and full disks, one after the other beside the load."""
        erasing = Erasing(Caller("erasing", self.seed, self.server, self.ledger, self.report, self.locks),
                          self.endpoint)
        self.callers.append(erasing.caller)
        disk_at = time.monotonic() + seconds * (0.3 + 0.5 * rng.random()) if rng.random() < 0.7 else None
        while not self.stop.is_set():
            if disk_at and time.monotonic() > disk_at:
                disk_at = None
                self.full_disk(erasing.caller)
            elif rng.random() < 0.3:
                self.reload(rng)
            else:
                erasing.forget()
            self.stop.wait(rng.random() * 0.3)

    def reload(self, rng):
        """A file is changed, broken, taken away, and brought back."""
        name = rng.choice(CAST)
        self.report.count("changes of persona files")
        self.server.write_persona(name, persona_file(name, rng.randrange(1000)))
        what = rng.random()
        if what < 0.3:
            self.server.write_persona("dot", "---\nname: dot\nmodel: [\n---\nbroken")
        elif what < 0.5:
            (self.server.personas / "dot.md").unlink(missing_ok=True)
        if what < 0.5:
            self.stop.wait(0.3)
            self.server.write_persona("dot", persona_file("dot"))
            # until the file is read there is no such persona, and what is asked of it is refused
            operator = self.server.client("operator")
            end = time.monotonic() + 10
            while not self.stop.wait(0.05):
                cast = operator.get("/api/personas")
                if cast.status != 200 or any(persona["name"] == "dot" for persona in cast.json()["personas"]):
                    break
                if time.monotonic() > end:
                    self.report.violation("a persona file that came back is not read", "10 s", cast.body[:300])
                    break

    def full_disk(self, caller):
        """While the disk is full nothing may be acknowledged that is not stored, reads go on, and when
        there is room again so do writes."""
        self.report.count("full disks")
        self.server.fill_disk()
        end = time.monotonic() + 1.5
        while time.monotonic() < end and not self.stop.is_set():
            said = caller.new_message(person="sam")
            if not caller.once(said, "native"):
                self.report.count("refused on a full disk")
                caller.pending.append(said)
            read = self.server.client("operator").get("/api/channels/api:pier/messages?limit=5")
            if read.status not in (0, 200, 404, 503):
                self.report.violation("nothing can be read on a full disk", f"{read.status}", read.body[:300])
            time.sleep(0.05)
        self.server.free_disk()
        said = caller.new_message(person="sam", persona="ann")

        def refused():
            return self.server.up.is_set() and not self.stop.is_set() and not caller.once(said, "native")

        if not wait_while(refused, 15):
            self.report.violation("a full disk is not recovered from", "still refused after 15 s", said.recipe())
        self.server.full = False

    # -- after a round ----------------------------------------------------------------------------

    def after_start(self):
        """What was acknowledged before the end is told again, and a key that was revoked opens nothing."""
        caller = Caller("after", self.seed, self.server, self.ledger, self.report, self.locks)
        known = self.ledger.acknowledged()
        for said in known[-25:] + caller.random.sample(known, min(15, len(known))):
            self.report.count("repeats")
            caller.deliver(said)
        self.callers.append(caller)
        self.keepsakes.check(caller.random)
        status = self.server.client("revoked").get("/api/personas").status
        if status != 401:
            self.report.violation("a revoked key opens the server", f"status {status}")

    def idle(self):
        """Waits until nothing is under way."""
        def metric(name):
            lines = self.server.client("operator").get("/metrics").body.splitlines()
            return sum(float(line.rsplit(" ", 1)[1]) for line in lines if line.startswith(name) and line[0] != "#")

        def busy():
            return metric("greenroom_messages_waiting") > 0 or under_way(self.server.data)
        if not wait_while(busy, 60):
            self.report.violation("messages wait for ever", f"{metric('greenroom_messages_waiting')} after 60 s")
        panics = metric("greenroom_http_panics_total")
        if panics:
            self.report.violation("a panic in a request", f"{panics:.0f}")
        time.sleep(1)

    def sizes(self, pages):
        """The log may be as long as a database that was written anew, and longer by what came since."""
        report = self.report
        report.most("megabytes of memory at most", self.server.peak)
        if self.server.life_peak > self.limits["megabytes"]:
            report.violation("too much memory", f"{self.server.life_peak} MB at most in the life of round {report.round}, "
                             f"limit {self.limits['megabytes']}")
        written = report.counts["rows of turns"] + report.counts["rows of memories"]
        report.counts["bytes of the database for each turn and memory"] = pages // max(1, written)
        for what, size, room in (
            ("database", pages, self.limits["base"] + written * self.limits["turn"]),
            ("write-ahead log", self.server.bytes_on_disk("-wal"), 4 * pages + (32 << 20)),
        ):
            if size > room:
                report.violation("too much on disk", f"{what}: {size >> 10} KB for {written} turns and memories, "
                                 f"limit {room >> 10} KB", same=what)
