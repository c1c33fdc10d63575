"""The Debian package: program, manual and completions where Debian has them. Built where there is dpkg-deb."""

import gzip
import hashlib
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from email.utils import formatdate

from .program import ROOT, Unfit

ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}
DOCUMENTS = "usr/share/doc/greenroom"

LONG = """\
 A persona is a file. It remembers what it is told across conversations, and
 every context it answers from can be shown item by item. Talk to personas in
 the terminal, or serve them over HTTP to clients of OpenAI, Anthropic, Ollama
 and MCP.
"""

COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Greenroom

Files: *
Copyright: {holder}
License: MIT or Apache-2.0

Files: static-minilm-128.bin vocab.txt
Copyright: the authors of all-MiniLM-L6-v2
License: Apache-2.0

Files: words.bin words.txt
Copyright: the authors of the Universal Sentence Encoder
License: Apache-2.0
Comment: The tables of the static embedder are compiled into the program.
 NOTICE-EMBEDDER.md in this directory says how they were made. THIRD-PARTY.txt.gz
 has the licences of the crates that are compiled in as well.

License: MIT or Apache-2.0
 At your choice, the MIT licence or the Apache licence, version 2.0, which is
 in /usr/share/common-licenses/Apache-2.0. The MIT licence:
 .
{mit}

License: Apache-2.0
 On Debian systems this licence is in /usr/share/common-licenses/Apache-2.0.
"""


def build(program, out, fast):
    if "linux" not in program.triple or not shutil.which("dpkg-deb"):
        print("no Debian package: it needs Linux and dpkg-deb", file=sys.stderr)
        return None
    if program.processor not in ARCHITECTURES:
        raise Unfit(f"Debian has no name for the processor {program.processor}")
    # a version before 0.1.0 sorts with a tilde: 0.1.0~rc.1
    version, architecture = program.version.replace("-", "~"), ARCHITECTURES[program.processor]
    with tempfile.TemporaryDirectory() as directory:
        top = pathlib.Path(directory)
        for name, content, mode in files(program, version):
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod(mode)
        size = sum(path.stat().st_size for path in top.rglob("*") if path.is_file()) // 1024
        (top / "DEBIAN").mkdir()
        (top / "DEBIAN" / "control").write_text(control(program, version, architecture, size))
        (top / "DEBIAN" / "md5sums").write_text(checksums(top))
        for path in [top, *top.rglob("*")]:
            if path.is_dir():
                path.chmod(0o755)
        path = out / f"greenroom_{version}_{architecture}.deb"
        pressed = ["-Zgzip", "-z1"] if fast else ["-Zxz"]
        subprocess.run(["dpkg-deb", "--root-owner-group", *pressed, "--build", str(top), str(path)], check=True,
                       stdout=subprocess.DEVNULL, env={**os.environ, "SOURCE_DATE_EPOCH": str(program.time)})
    return path


def files(program, version):
    """(name, content, mode) of everything that is installed."""
    yield "usr/bin/greenroom", program.binary.read_bytes(), 0o755
    for name, text in program.manual.items():
        yield f"usr/share/man/man1/{name}.gz", pressed(text), 0o644
    for name, place in [
        ("greenroom.bash", "bash-completion/completions/greenroom"),
        ("_greenroom", "zsh/vendor-completions/_greenroom"),
        ("greenroom.fish", "fish/vendor_completions.d/greenroom.fish"),
    ]:
        yield f"usr/share/{place}", program.completions[name].encode(), 0o644
    mit = program.licences["LICENSE-MIT"]
    holder = next(line for line in mit.splitlines() if line.startswith("Copyright")).split(") ", 1)[1]
    indented = "\n".join(f" {line}" if line else " ." for line in mit.splitlines())
    yield f"{DOCUMENTS}/copyright", COPYRIGHT.format(holder=holder, mit=indented).encode(), 0o644
    yield f"{DOCUMENTS}/NOTICE-EMBEDDER.md", program.licences["NOTICE-EMBEDDER.md"].encode(), 0o644
    yield f"{DOCUMENTS}/THIRD-PARTY.txt.gz", pressed(program.licences["THIRD-PARTY.txt"]), 0o644
    yield f"{DOCUMENTS}/README.md", program.readme.encode(), 0o644
    yield f"{DOCUMENTS}/NEWS.md.gz", pressed((ROOT / "CHANGELOG.md").read_text()), 0o644
    entry = f"greenroom ({version}) unstable; urgency=medium\n\n  * NEWS.md.gz says what changed.\n\n"
    entry += f" -- {maintainer()}  {formatdate(program.time)}\n"
    yield f"{DOCUMENTS}/changelog.gz", pressed(entry), 0o644


def control(program, version, architecture, size):
    needs = ", ".join([f"libc6 (>= {program.glibc})", *program.libraries])
    return (
        f"Package: greenroom\nVersion: {version}\nArchitecture: {architecture}\nMaintainer: {maintainer()}\n"
        f"Installed-Size: {size}\nDepends: {needs}\nRecommends: ca-certificates\nSuggests: nodejs, python3\n"
        f"Section: utils\nPriority: optional\nDescription: runtime for AI personas that remember\n{LONG}"
    )


def maintainer():
    """Whoever packages it, by Debian's own variables."""
    name = os.environ.get("DEBFULLNAME", "The Greenroom authors")
    return f"{name} <{os.environ.get('DEBEMAIL', 'greenroom@localhost.invalid')}>"


def checksums(top):
    paths = sorted(path for path in top.rglob("*") if path.is_file() and path.parent.name != "DEBIAN")
    return "".join(f"{hashlib.md5(path.read_bytes()).hexdigest()}  {path.relative_to(top)}\n" for path in paths)


def pressed(text):
    return gzip.compress(text.encode(), 9, mtime=0)
