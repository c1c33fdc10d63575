"""What of the image can be checked without an engine: see scripts/check-docker.

    check_docker.py CLEAN TARGET

Reads docker/Dockerfile and docker/compose.yaml, then does what the stage `build` does: copies into CLEAN
what it copies, and runs there what it runs, with TARGET as the directory cargo builds in.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

import yaml

# the tests' own flags: with others cargo would choose other features and build everything anew
BUILD = "--workspace --tests --bins --examples"


def instructions(text):
    """Pairs of instruction and arguments, lines that go on joined."""
    joined = re.sub(r"\\\n", " ", text)
    lines = (line.strip() for line in joined.splitlines())
    return [tuple(line.split(None, 1)) for line in lines if line and not line.startswith("#")]


def stages(text):
    """The instructions of every stage, by its name or its number."""
    found, name = {}, None
    for word, rest in instructions(text):
        if word == "FROM":
            name = rest.split(" AS ")[1] if " AS " in rest else str(len(found))
            found[name] = []
        elif name is None:
            # an ARG that a FROM uses
            assert word == "ARG", f"{word} before the first FROM"
        else:
            found[name].append((word, rest))
    return found


def allowed():
    """What .dockerignore lets into the context."""
    lines = pathlib.Path(".dockerignore").read_text().split()
    assert lines[0] == "**", ".dockerignore must begin by leaving everything out"
    return {line[1:] for line in lines[1:] if line.startswith("!")}


def copied(rest):
    """Sources and destination of a COPY from the context."""
    *sources, destination = rest.split()
    for source in sources:
        assert pathlib.Path(source).exists(), f"COPY {source}: there is no such file"
        assert source in allowed(), f"COPY {source}: .dockerignore leaves it out"
    return sources, destination


def build(stage, clean, target):
    """Does in `clean` what the stage does in the image."""
    environment = dict(os.environ)
    ours = {"BUILD": BUILD, "PROFILE": "debug", "TARGET": target, "OUT": str(clean / "out")}
    for word, rest in stage:
        if word == "ARG":
            name, _, default = rest.partition("=")
            environment[name] = ours.get(name, default.strip('"'))
        elif word == "COPY":
            sources, destination = copied(rest)
            for source in sources:
                goal = clean / destination / source if destination.endswith("/") else clean / destination
                if pathlib.Path(source).is_dir():
                    shutil.copytree(source, goal, ignore=shutil.ignore_patterns("target"))
                else:
                    shutil.copy2(source, goal)
        elif word == "RUN":
            # what an engine keeps between two builds lies where it lies here
            rest = re.sub(r"^(--mount=type=cache,target=\S+\s+)+", "", rest)
            print(f"$ {rest}", flush=True)
            subprocess.run(["sh", "-ec", rest], cwd=clean, env=environment, check=True)
        else:
            assert word == "WORKDIR", f"{word} in the build stage is not checked; teach check_docker.py"
    program = clean / "out" / "greenroom"
    said = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert said.stdout.startswith("greenroom "), said.stdout


def check_image(stage):
    """What must hold of the stage that is shipped."""
    words = [word for word, _ in stage]
    for word in ["USER", "HEALTHCHECK", "ENTRYPOINT", "EXPOSE", "STOPSIGNAL"]:
        assert word in words, f"the image has no {word}"
    commands = " ".join(rest for word, rest in stage if word in ("ARG", "RUN"))
    for needed in ["python3", "pipx install \"uv=="]:
        assert needed in commands, f"MCP servers need {needed} in the image"
    user = next(rest for word, rest in stage if word == "USER")
    assert user not in ("root", "0"), "the image runs as root"
    for word, rest in stage:
        if word == "COPY" and not rest.startswith("--from=build "):
            copied(rest)


def check_compose(compose, image):
    """What the compose file says must fit the image."""
    service = compose["services"]["greenroom"]
    assert (pathlib.Path("docker") / service["build"]["context"]).resolve() == pathlib.Path.cwd()
    assert pathlib.Path(service["build"]["dockerfile"]).is_file()
    port = next(rest for word, rest in image if word == "EXPOSE")
    assert all(mapped.endswith(f":{port}") for mapped in service["ports"]), "compose opens another port"
    assert all(mapped.startswith("127.0.0.1:") for mapped in service["ports"]), "open to this machine alone"
    assert not any(file["required"] for file in service["env_file"]), "it must start without settings"
    volume = next(rest for word, rest in image if word == "VOLUME")
    assert any(mapped.split(":")[1] == volume for mapped in service["volumes"]), "the data is on no volume"
    for mapped in service["volumes"]:
        source = mapped.split(":")[0]
        assert source in compose["volumes"] or (pathlib.Path("docker") / source).exists(), mapped


def main():
    clean, target = pathlib.Path(sys.argv[1]), sys.argv[2]
    found = stages(pathlib.Path("docker/Dockerfile").read_text())
    assert list(found) == ["build", "1"], f"stages: {list(found)}"
    check_image(found["1"])
    check_compose(yaml.safe_load(pathlib.Path("docker/compose.yaml").read_text()), found["1"])
    build(found["build"], clean, target)
    print("the image's files are in order and its build stage builds")


main()
