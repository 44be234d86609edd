#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""write_tutorial.py BUILD [--check]: runs the commands of docs/tutorial.md and puts what they print below them.

Commands are the lines `$ COMMAND` of ```console blocks; they run in one shell each, in one empty folder, in order. With --check, nothing
is written: every command must succeed, and print again each finding (`[rule]` of a problem) that the tutorial shows."""

import argparse
import os
import pathlib
import re
import socket
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
TUTORIAL = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)


def commands_of(block):
    """[(command, output)]"""
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [(command, output) for command, _, output in (part.partition("\n") for part in parts)]


def run(command, folder, build):
    environment = dict(os.environ, PATH=f"{build / 'bin'}:{os.environ['PATH']}", RINGSIDE_BUILD=str(build), NO_COLOR="1", COLUMNS="80",
                       RINGSIDE=str(ROOT))
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], cwd=folder, env=environment, text=True, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode != 0:
        sys.exit(f"{command}\nended with {done.returncode}:\n{done.stdout}")
    return done.stdout.replace(f"{folder}/", "").replace(socket.gethostname(), "node0")


def problems_of(output):
    return set(re.findall(r"^  problem .*?\[(\w+)\]", output, flags=re.MULTILINE | re.DOTALL))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    text = TUTORIAL.read_text()
    missing = []
    with tempfile.TemporaryDirectory() as folder:

        def play(block):
            printed = ""
            for command, shown in commands_of(block.group()):
                output = run(command, folder, arguments.build.resolve())
                missing.extend(f"{command} no longer finds {rule}" for rule in problems_of(shown) - problems_of(output))
                printed += f"$ {command}\n{output}"
            return printed

        played = BLOCK.sub(play, text)
    if not arguments.check:
        TUTORIAL.write_text(played)
    elif missing:
        sys.exit("\n".join(missing))


main()
