"""The wheel: `pip install greenroom-*.whl` puts the program beside the environment's own programs.

The format is that of the packaging guide, "Binary distribution format"; the metadata is version 2.4.
"""

import base64
import hashlib
import re
import time
import zipfile

from .program import Unfit


def tag(program):
    """Which systems the program runs on."""
    if "linux" in program.triple:
        return f"manylinux_{program.glibc.replace('.', '_')}_{program.processor}"
    if "apple" in program.triple:
        # the oldest system Rust builds for
        return "macosx_11_0_arm64" if program.processor == "aarch64" else "macosx_10_12_x86_64"
    if program.windows:
        return "win_arm64" if program.processor == "aarch64" else "win_amd64"
    raise Unfit(f"there is no wheel for {program.triple}")


def version_of(program):
    """0.1.0-rc.1 is 0.1.0rc1 to Python."""
    found = re.fullmatch(r"(\d+\.\d+\.\d+)(?:-(alpha|beta|rc)\.?(\d+))?", program.version)
    if not found:
        raise Unfit(f"Python has no version like {program.version}; write 0.1.0 or 0.1.0-rc.1")
    kinds = {"alpha": "a", "beta": "b", "rc": "rc"}
    return found[1] + (kinds[found[2]] + found[3] if found[2] else "")


def build(program, out, fast):
    version, system = version_of(program), tag(program)
    info, data = f"greenroom-{version}.dist-info", f"greenroom-{version}.data"
    files = [(f"{data}/scripts/{program.name}", program.binary.read_bytes(), 0o755)]
    files += [(f"{info}/licenses/{name}", text.encode(), 0o644) for name, text in program.licences.items()]
    files.append((f"{info}/METADATA", metadata(program, version).encode(), 0o644))
    wheel = f"Wheel-Version: 1.0\nGenerator: greenroom\nRoot-Is-Purelib: false\nTag: py3-none-{system}\n"
    files.append((f"{info}/WHEEL", wheel.encode(), 0o644))
    record = "".join(f"{name},sha256={digest(content)},{len(content)}\n" for name, content, _ in files)
    files.append((f"{info}/RECORD", f"{record}{info}/RECORD,,\n".encode(), 0o644))
    path = out / f"greenroom-{version}-py3-none-{system}.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1 if fast else 9) as archive:
        for name, content, mode in files:
            entry = zipfile.ZipInfo(name, time.gmtime(program.time)[:6])
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100000 | mode) << 16
            archive.writestr(entry, content)
    return path


def metadata(program, version):
    head = [
        ("Metadata-Version", "2.4"),
        ("Name", "greenroom"),
        ("Version", version),
        ("Summary", program.description),
        ("License-Expression", program.licence),
        *(("License-File", name) for name in program.licences),
        ("Requires-Python", ">=3.8"),
        ("Description-Content-Type", "text/markdown"),
    ]
    return "".join(f"{name}: {value}\n" for name, value in head) + f"\n{program.readme}"


def digest(content):
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
