"""The licences of the crates that are compiled into the program. Most ask for their text to go with every copy."""

import json
import pathlib
import subprocess

NAMES = ("license", "licence", "copying", "copyright", "notice", "unlicense")
HEAD = """The program contains the crates below. Each is listed with its licence; the texts follow, each once, with the
crates that carry it.
"""


def collect(root, triple):
    """One text with every crate, its licence, and the texts its authors put beside it."""
    crates = compiled(root, triple)
    lines = [HEAD]
    lines += [f"{crate['name']} {crate['version']}: {crate['license'] or 'see its text'}" for crate in crates]
    carriers = {}
    for crate in crates:
        directory = pathlib.Path(crate["manifest_path"]).parent
        files = [path for path in sorted(directory.iterdir()) if path.is_file() and path.name.lower().startswith(NAMES)]
        for path in files:
            text = path.read_text(encoding="utf-8", errors="replace").replace("\r\n", "\n").strip()
            carriers.setdefault(text, []).append(f"{crate['name']} {crate['version']}")
    for text, names in carriers.items():
        lines += ["", "=" * 100, ", ".join(dict.fromkeys(names)), "", text]
    return "\n".join(lines) + "\n"


def compiled(root, triple):
    """The crates of others that are linked into the program, by name and version."""
    command = ["cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", triple]
    metadata = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=root).stdout)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    waiting = [id for id, package in packages.items() if package["name"] == "greenroom"]
    seen = set()
    while waiting:
        id = waiting.pop()
        if id not in seen:
            seen.add(id)
            linked = (dep for dep in nodes[id]["deps"] if any(kind["kind"] is None for kind in dep["dep_kinds"]))
            waiting += [dep["pkg"] for dep in linked]
    others = [packages[id] for id in seen if packages[id]["source"]]
    return sorted(others, key=lambda crate: (crate["name"], crate["version"]))
