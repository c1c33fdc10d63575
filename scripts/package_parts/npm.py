"""The npm package: `npm install greenroom-*.tgz` puts the program into node_modules/.bin, on one system and processor."""

import json

from . import archive
from .program import Unfit

SYSTEMS = {"linux": "linux", "apple": "darwin", "windows": "win32"}
PROCESSORS = {"x86_64": "x64", "aarch64": "arm64"}


def build(program, out, fast):
    system = next((name for part, name in SYSTEMS.items() if part in program.triple), None)
    processor = PROCESSORS.get(program.processor)
    if not system or not processor:
        raise Unfit(f"Node has no name for {program.triple}")
    package = {
        "name": "greenroom",
        "version": program.version,
        "description": program.description,
        "license": f"({program.licence})",
        "bin": {"greenroom": f"bin/{program.name}"},
        "os": [system],
        "cpu": [processor],
        **({"libc": ["glibc"]} if system == "linux" else {}),
    }
    files = [
        ("package/package.json", (json.dumps(package, indent=2) + "\n").encode(), 0o644),
        ("package/README.md", program.readme.encode(), 0o644),
        *((f"package/{name}", text.encode(), 0o644) for name, text in program.licences.items()),
        (f"package/bin/{program.name}", program.binary.read_bytes(), 0o755),
    ]
    path = out / f"greenroom-{program.version}-{system}-{processor}.tgz"
    return archive.write(path, files, program.time, fast)
