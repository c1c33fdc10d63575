"""The tarball: the program, its manual, completions and licences in one directory, for any place."""

from . import archive


def build(program, out, fast):
    top = f"greenroom-{program.version}-{program.triple}"
    texts = {
        "README.md": program.readme,
        **program.licences,
        **{f"completions/{name}": text for name, text in program.completions.items()},
        **{f"man/man1/{name}": text for name, text in program.manual.items()},
    }
    files = [(f"{top}/{program.name}", program.binary.read_bytes(), 0o755)]
    files += [(f"{top}/{name}", text.encode(), 0o644) for name, text in sorted(texts.items())]
    return archive.write(out / f"{top}.tar.gz", files, program.time, fast)
