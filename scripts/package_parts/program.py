"""The program that is packaged: what it is, what it runs on, and the files that go with it in every package."""

import dataclasses
import json
import os
import pathlib
import platform
import re
import subprocess
import tempfile

from . import notices

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SHELLS = {"bash": "greenroom.bash", "zsh": "_greenroom", "fish": "greenroom.fish"}
# What every Linux with glibc has beside the C library itself, by the name of the Debian package.
LIBRARIES = {"libgcc_s.so.1": "libgcc-s1 (>= 4.2)"}
C_LIBRARY = re.compile(r"(libc|libm|libpthread|libdl|librt|ld-linux[-a-z0-9_]*)\.so\.\d+")


class Unfit(Exception):
    """The program cannot be packaged, and why."""


@dataclasses.dataclass
class Program:
    """A built program and what there is to say of it."""

    binary: pathlib.Path
    version: str  # as Cargo has it: 0.1.0 or 0.1.0-rc.1
    description: str
    licence: str
    triple: str  # of the compiler that built it: x86_64-unknown-linux-gnu
    processor: str  # x86_64 or aarch64
    glibc: str  # the oldest version it runs on, as 2.34; empty on other systems than Linux
    libraries: list  # of Debian packages it needs beside the C library
    time: int  # of every file, in seconds since 1970
    completions: dict  # text by file name
    manual: dict  # text by file name, as greenroom-chat.1
    readme: str
    licences: dict  # text by file name, for every package

    @property
    def name(self):
        """The file in the packages."""
        return "greenroom.exe" if self.windows else "greenroom"

    @property
    def windows(self):
        return "windows" in self.triple


def run(*command, **more):
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, cwd=ROOT, **more).stdout


def build(profile):
    """Builds the program and says where it is."""
    subprocess.run(["cargo", "build", "--locked", "--package", "greenroom", "--bin", "greenroom", "--profile", profile],
                   check=True, cwd=ROOT)
    target = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1"))["target_directory"]
    directory = "debug" if profile == "dev" else profile
    return pathlib.Path(target) / directory / ("greenroom.exe" if os.name == "nt" else "greenroom")


def describe(binary):
    """Asks the program, cargo and the linker's tables what belongs into the packages."""
    said = run(binary, "--version").split()
    packages = json.loads(run("cargo", "metadata", "--no-deps", "--format-version", "1"))["packages"]
    package = next(package for package in packages if package["name"] == "greenroom")
    if said != ["greenroom", package["version"]]:
        raise Unfit(f"{binary} is {' '.join(said)}, and the sources are {package['version']}; build it again")
    triple = re.search(r"^host: (\S+)$", run("rustc", "-vV"), re.MULTILINE)[1]
    glibc, libraries = linked(binary) if "linux" in triple else ("", [])
    with tempfile.TemporaryDirectory() as directory:
        run(binary, "man", directory)
        manual = {page.name: page.read_text() for page in sorted(pathlib.Path(directory).iterdir())}
    return Program(
        binary=binary,
        version=package["version"],
        description=package["description"],
        licence=package["license"],
        triple=triple,
        processor={"amd64": "x86_64", "arm64": "aarch64"}.get(platform.machine().lower(), platform.machine()),
        glibc=glibc,
        libraries=libraries,
        time=time_of_files(),
        completions={file: run(binary, "completions", shell) for shell, file in SHELLS.items()},
        manual=manual,
        readme=(ROOT / "crates" / "greenroom" / "README.md").read_text(),
        licences={
            "LICENSE-MIT": (ROOT / "LICENSE-MIT").read_text(),
            "LICENSE-APACHE": (ROOT / "LICENSE-APACHE").read_text(),
            "NOTICE-EMBEDDER.md": (ROOT / "crates" / "models" / "assets" / "README.md").read_text(),
            "THIRD-PARTY.txt": notices.collect(ROOT, triple),
        },
    )


def linked(binary):
    """The glibc a program needs, and which Debian packages beside it."""
    table = run("readelf", "--dynamic", "--version-info", "--wide", binary, env={**os.environ, "LC_ALL": "C"})
    versions = {tuple(map(int, found.split("."))) for found in re.findall(r"Name: GLIBC_([0-9.]+)", table)}
    if not versions:
        raise Unfit(f"{binary} is not linked against glibc, and wheels and Debian packages here are")
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", table)
    strange = [name for name in needed if name not in LIBRARIES and not C_LIBRARY.fullmatch(name)]
    if strange:
        raise Unfit(f"{binary} needs {', '.join(strange)}, which not every Linux has; link it statically")
    libraries = [LIBRARIES[name] for name in needed if name in LIBRARIES]
    return ".".join(map(str, max(versions))), libraries


def time_of_files():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    try:
        return int(run("git", "log", "-1", "--format=%ct", stderr=subprocess.DEVNULL))
    except (OSError, subprocess.CalledProcessError, ValueError):
        return 315532800  # 1980, the first year a zip file knows
