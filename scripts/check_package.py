"""Installs the packages below DIRECTORY/dist and uses each: see scripts/check-package.

    check_package.py DIRECTORY
"""

import http.server
import json
import os
import pathlib
import subprocess
import sys
import tarfile
import threading
import zipfile

REPLY = "Aye, aye."


class Endpoint(http.server.BaseHTTPRequestHandler):
    """A model that always says the same."""

    def do_GET(self):
        self.answer("application/json", json.dumps({"object": "list", "data": [{"id": "mock", "object": "model"}]}))

    def do_POST(self):
        self.rfile.read(int(self.headers["Content-Length"]))
        piece = {"choices": [{"index": 0, "delta": {"content": REPLY}}]}
        end = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
        self.answer("text/event-stream", "".join(f"data: {json.dumps(d)}\n\n" for d in (piece, end)) + "data: [DONE]\n\n")

    def answer(self, kind, body):
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def run(*command, **more):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **more)
    assert done.returncode == 0, f"{command} ended with {done.returncode}:\n{done.stdout}{done.stderr}"
    return done.stdout


def use(kind, program, home, port, version):
    """The installed program says its version, and a persona answers."""
    home.mkdir()
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "GREENROOM_DATA": str(home / "data"),
                   "OPENAI_BASE_URL": f"http://127.0.0.1:{port}/v1", "OPENAI_API_KEY": "none"}
    said = run(program, "--version", cwd=home, env=environment)
    assert said == f"greenroom {version}\n", said
    said = run(program, "chat", "ada", "Are you there?", cwd=home, env=environment)
    assert said == f"{REPLY}\n", said
    print(f"{kind}: installed and used")


def install_wheel(wheel, place):
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        has_licences(kept.rsplit("/", 1)[-1] for kept in archive.namelist())
    run(sys.executable, "-m", "venv", place)
    run(place / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-index", "--disable-pip-version-check", wheel)
    listed = run(place / "bin" / "python", "-m", "pip", "show", "--files", "greenroom")
    assert "bin/greenroom" in listed, listed
    return place / "bin" / "greenroom"


def install_npm(package, place):
    place.mkdir()
    run("npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", place, package)
    has_licences(path.name for path in (place / "node_modules" / "greenroom").iterdir())
    return place / "node_modules" / ".bin" / "greenroom"


def install_debian(package, place):
    needs = run("dpkg-deb", "--field", package, "Depends")
    run("dpkg", "--dry-run", "--install", package)
    if os.geteuid() == 0:
        database = place / "var" / "lib" / "dpkg"
        for directory in ("info", "updates", "triggers"):
            (database / directory).mkdir(parents=True)
        (database / "status").touch()
        # what it depends on is on this machine, as the dry run found, and not in that root
        run("dpkg", f"--root={place}", "--force-depends", "--install", package)
    else:
        run("dpkg-deb", "--extract", package, place)  # only root may install
    shared = place / "usr" / "share"
    for name in ["bash-completion/completions/greenroom", "zsh/vendor-completions/_greenroom",
                 "fish/vendor_completions.d/greenroom.fish", "man/man1/greenroom.1.gz", "man/man1/greenroom-chat.1.gz",
                 "doc/greenroom/copyright", "doc/greenroom/NOTICE-EMBEDDER.md", "doc/greenroom/THIRD-PARTY.txt.gz"]:
        assert (shared / name).is_file(), f"the Debian package has no {name}"
    assert "libc6 (>= 2." in needs, needs
    return place / "usr" / "bin" / "greenroom"


def install_tarball(package, place):
    with tarfile.open(package) as archive:
        archive.extractall(place)
    top, = place.iterdir()
    has_licences(path.name for path in top.iterdir())
    run("bash", "-n", top / "completions" / "greenroom.bash")
    page = (top / "man" / "man1" / "greenroom.1").read_text()
    assert ".TH greenroom 1" in page, page[:200]
    return top / "greenroom"


def has_licences(names):
    missing = {"LICENSE-MIT", "LICENSE-APACHE", "NOTICE-EMBEDDER.md", "THIRD-PARTY.txt"} - set(names)
    assert not missing, f"a package lacks {missing}"


def main():
    clean = pathlib.Path(sys.argv[1])
    version = run(os.environ["GREENROOM_BIN"], "--version").split()[1]
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Endpoint) as endpoint:
        threading.Thread(target=endpoint.serve_forever, daemon=True).start()
        for kind, ending, install in [("wheel", ".whl", install_wheel), ("npm package", ".tgz", install_npm),
                                      ("Debian package", ".deb", install_debian), ("tarball", ".tar.gz", install_tarball)]:
            package, = (clean / "dist").glob(f"*{ending}")
            place = clean / ending[1:]
            use(kind, install(package, place), clean / f"home-{ending[1:]}", endpoint.server_port, version)
        endpoint.shutdown()


main()
