"""What was counted and what was violated, for people and for programs."""

import collections
import json
import sys
import threading
import time

SHOWN = 3  # violations of one kind that are printed in full
LINES = 12  # kinds of lines of the log that are printed


class Report:
    """Collects counts and violations from every thread."""

    def __init__(self, seed):
        self.seed = seed
        self.began = time.monotonic()
        self.round = 0
        self.counts = collections.Counter()
        self.log = collections.Counter()  # lines of the server's log by kind
        self.violations = collections.defaultdict(list)
        self.known = {}  # a violation that was seen before is the same one
        self.lock = threading.Lock()

    def count(self, what, number=1):
        with self.lock:
            self.counts[what] += number

    def violation(self, kind, what, recipe="", same=None):
        """One broken promise: its kind, what was seen, and what led to it. What is seen again in a later round is the
        same violation; `same` names it where the words about it change."""
        with self.lock:
            seconds = round(time.monotonic() - self.began, 1)
            entry = {"round": self.round, "seconds": seconds, "what": what, "recipe": recipe, "times": 0}
            first = self.known.setdefault((kind, same or what), entry)
            first["times"] += 1
            if first is not entry:
                return
            self.violations[kind].append(entry)
            if len(self.violations[kind]) <= SHOWN:
                self.say(f"VIOLATION {kind}: {what}")
                if recipe:
                    self.say(f"    recipe: {recipe}")

    def most(self, what, number):
        with self.lock:
            self.counts[what] = max(self.counts[what], number)

    def say(self, text):
        print(text, file=sys.stderr, flush=True)

    @property
    def found(self):
        return sum(len(entries) for entries in self.violations.values())

    def end(self, as_json):
        """Prints the result to standard output; gives the exit code."""
        with self.lock:
            result = {
                "seed": self.seed,
                "rounds": self.round,
                "seconds": round(time.monotonic() - self.began),
                "counts": dict(sorted(self.counts.items())),
                "log": dict(self.log.most_common()),
                "violations": {kind: entries for kind, entries in self.violations.items()},
            }
        if as_json:
            print(json.dumps(result, indent=1))
            return 1 if self.found else 0
        print(f"seed {self.seed}, {result['rounds']} rounds, {result['seconds']} s")
        for what, number in result["counts"].items():
            print(f"{number:9}  {what}")
        print(f"{sum(self.log.values())} lines in the server's log, most of them")
        for kind, number in self.log.most_common(LINES):
            print(f"{number:9}  {kind}")
        print(f"{self.found} violations")
        for kind, entries in result["violations"].items():
            print(f"{len(entries):9}  {kind}")
            for entry in entries[:SHOWN]:
                again = f", {entry['times']} times" if entry["times"] > 1 else ""
                print(f"           round {entry['round']}, {entry['seconds']} s{again}: {entry['what']}")
        return 1 if self.found else 0
