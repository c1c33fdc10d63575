"""The server under test: its directory, its processes, its limits."""

import contextlib
import ctypes
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

from . import chains, log_kinds
from .client import Client
from .clubs import CLUBS, MEMBERS

PANIC = re.compile(r"panicked at|has overflowed its stack|crashed|SIGABRT")
TMPFS = 1 << 30  # bytes of the disk that can be filled; they are taken only when they are used

PERSONAS = {
    # name: front matter
    "ann": "memory: { profile: default }\ntools: [remember, recall]",
    "bea": "memory: { capture: { facts: true, model: small-bea } }\ntools: [remember, recall, forget]",
    "cas": "memory: { profile: tiers, capture: { model: small-cas } }\ntools: []",
    "dot": "memory: { profile: knowledge }\ntools: [recall]",
    "tik": "memory: { profile: default, follow: person }\ntools: [remember, recall]",
    "tok": "memory: { profile: default, follow: person, witness: true }\ntools: []",
}
ROOMS = {name: f"answer: always, channels: {CLUBS}" for name in MEMBERS}
WINDOWS = {"mock-cas": 2600}


def persona_file(name, version=0):
    window = f", context_window: {WINDOWS['mock-cas']}" if name == "cas" else ""
    return (
        f"---\nname: {name}\nmodel: {{ name: mock-{name}, max_output_tokens: 200{window}, retries: 1 }}\n"
        f"limits: {{ tokens_per_hour: 0 }}\nroom: {{ {ROOMS.get(name, 'answer: mentioned')}, cooldown: 0s }}\n"
        f"{PERSONAS[name]}\n---\n"
        f"You are {name}, who keeps the harbour's books. Version {version}.\n"
    )


# Memory stays in its channel, but for the personas of the clubs: the marks tell by their place who may be shown them.
SETTINGS = """persona = "ann"
[memory]
follow = "channel"
[models.mock-cas]
context_window = 2600
tokenizer = "len/4"
[models.small-cas]
context_window = 2600
tokenizer = "len/4"
""" + chains.SETTINGS


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Server:
    """One data directory and the process that serves it."""

    def __init__(self, binary, endpoint_port, report, keep):
        self.binary, self.report, self.keep = binary, report, keep
        self.home = pathlib.Path(tempfile.mkdtemp(prefix="greenroom-campaign-"))
        self.disk = self.home / "disk"
        self.disk.mkdir()
        self.mounted = self.mount()
        self.data = self.disk / "data"
        self.personas = self.home / "personas"
        self.personas.mkdir()
        for name in PERSONAS:
            self.write_persona(name, persona_file(name))
        (self.home / "greenroom.toml").write_text(SETTINGS)
        # what must not be searched for marks of a run before
        own = {key: value for key, value in os.environ.items()
               if not key.startswith(("GREENROOM", "OPENAI", "OTEL"))}
        self.environment = {
            **own, "HOME": str(self.home), "GREENROOM_DATA": str(self.data), "NO_COLOR": "1",
            "GREENROOM_EMBEDDER__OFFLINE": "true",
            "GREENROOM_PERSONAS": str(self.personas), "GREENROOM_CONFIG": str(self.home / "greenroom.toml"),
            "OPENAI_BASE_URL": f"http://127.0.0.1:{endpoint_port}/v1", "OPENAI_API_KEY": "campaign",
        }
        self.port = free_port()
        self.log = self.home / "server.log"
        self.read_log = 0
        self.process = None
        self.peak = 0            # megabytes of memory in all lives, and in this one
        self.life_peak = 0
        self.full = False        # the disk is, or was until a moment ago
        self.up = threading.Event()
        self.keys = {}

    # -- the disk ---------------------------------------------------------------------------------

    def mount(self):
        """A small disk of its own that can be filled, where we may mount one. Without it the process's
        file sizes are limited instead."""
        libc = ctypes.CDLL(None, use_errno=True)
        options = f"size={TMPFS}".encode()
        return os.geteuid() == 0 and libc.mount(b"tmpfs", os.fsencode(self.disk), b"tmpfs", 0, options) == 0

    def fill_disk(self):
        self.full = True
        if self.mounted:
            # in pieces until nothing more fits: the server writes at the same time
            with open(self.disk / "ballast", "wb", buffering=0) as ballast, contextlib.suppress(OSError):
                while ballast.write(bytes(1 << 16)):
                    pass
        else:
            self.limit_files(max(path.stat().st_size for path in self.data.glob("greenroom.db*")))

    def free_disk(self):
        if self.mounted:
            (self.disk / "ballast").unlink(missing_ok=True)
        else:
            self.limit_files(resource.RLIM_INFINITY)

    def limit_files(self, size):
        try:
            hard = resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE)[1]
            soft = hard if size == resource.RLIM_INFINITY else size
            resource.prlimit(self.process.pid, resource.RLIMIT_FSIZE, (soft, hard))
        except ProcessLookupError:
            pass  # it was killed; the next one has no limit

    def bytes_on_disk(self, suffix="*"):
        return sum(path.stat().st_size for path in self.data.glob(f"greenroom.db{suffix}"))

    # -- personas ---------------------------------------------------------------------------------

    def write_persona(self, name, text):
        """As editors write: whole, under its name at once."""
        draft = self.home / f"{name}.draft"
        draft.write_text(text)
        os.replace(draft, self.personas / f"{name}.md")

    # -- processes --------------------------------------------------------------------------------

    def command(self, *arguments, seconds=60):
        """Another process of the program on the same data."""
        return subprocess.run(
            [self.binary, *arguments], env=self.environment, cwd=self.home, stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=seconds,
        )

    def make_key(self, name, role, *more):
        made = self.command("key", "create", "--json", "--role", role, *more)
        self.keys[name] = json.loads(made.stdout)["key"]

    def start(self):
        self.life_peak = 0
        with open(self.log, "ab") as log:
            # a file that may not grow is an error and no signal: Python ignores SIGXFSZ, and so does its child
            self.process = subprocess.Popen(
                [self.binary, "serve", "--listen", f"127.0.0.1:{self.port}", "--grace", "5s"],
                env=self.environment, cwd=self.home, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                restore_signals=False,
            )
        began = time.monotonic()
        while time.monotonic() - began < 60:
            if self.process.poll() is not None:
                self.report.violation("the server does not start", f"exit code {self.process.returncode}",
                                      self.log_end())
                return False
            if self.client("operator").get("/readyz").status == 200:
                self.up.set()
                return True
            time.sleep(0.02)
        self.report.violation("the server does not start", "not ready within 60 s", self.log_end())
        return False

    def kill(self):
        self.up.clear()
        self.look_at_memory()
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        """SIGTERM; it must end by itself, and well."""
        self.up.clear()
        self.look_at_memory()
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.report.violation("SIGTERM does not end the server", "still there after 30 s", self.log_end())
            return self.kill()
        if code != 0:
            self.report.violation("SIGTERM ends the server badly", f"exit code {code}", self.log_end())

    def client(self, key=None, timeout=30):
        return Client(self.port, self.keys.get(key), timeout)

    # -- what is watched --------------------------------------------------------------------------

    def look_at_memory(self):
        """The kernel keeps the most that a process has had (VmHWM), so that a look now and then misses nothing but its
        very end."""
        try:
            with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
                most = next(int(line.split()[1]) for line in status if line.startswith("VmHWM")) // 1024
        except (OSError, StopIteration):
            return  # there is no process
        self.life_peak = max(self.life_peak, most)
        self.peak = max(self.peak, most)

    def check_log(self):
        with open(self.log, errors="replace", encoding="utf-8") as log:
            log.seek(self.read_log)
            text = log.read()
            self.read_log = log.tell()
        lines = text.splitlines()
        log_kinds.check(lines, self.report)
        for number, line in enumerate(lines):
            if PANIC.search(line):
                self.report.violation("a panic in the log", line[:300], " | ".join(lines[number + 1:number + 4]))

    def log_end(self):
        return " | ".join(self.log.read_text(errors="replace").splitlines()[-4:]) if self.log.exists() else ""

    def close(self):
        if self.process and self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        kept = self.keep or self.report.found
        if kept:
            kept_at = self.home / "kept"
            if self.mounted and self.data.exists():
                shutil.copytree(self.data, kept_at, dirs_exist_ok=True)
            self.report.say(f"the data and the log are kept in {self.home}")
        if self.mounted:
            libc = ctypes.CDLL(None, use_errno=True)
            libc.umount2(os.fsencode(self.disk), 2)  # MNT_DETACH
        if not kept:
            shutil.rmtree(self.home, ignore_errors=True)
