#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""write_live.py BUILD: records an emulated job with a late rank, watches it with `ringside top` in a terminal of 80 x 24, and puts what is
on the screen into docs/live.md. Needs tmux."""

import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "live.md"
LIMIT_S = 120


class Terminal:
    """A terminal of 80 x 24 in which a command runs."""

    def __init__(self, folder, command):
        self.socket = str(folder / "tmux")
        self.tmux("new-session", "-d", "-x", "80", "-y", "24", command)

    def tmux(self, *words):
        environment = {**os.environ, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        return subprocess.run(["tmux", "-S", self.socket, *words], check=True, text=True, stdout=subprocess.PIPE, env=environment).stdout

    def until(self, text):
        end = time.monotonic() + LIMIT_S
        while time.monotonic() < end:
            screen = self.tmux("capture-pane", "-p")
            if text in screen:
                return screen.rstrip()
            time.sleep(0.5)
        return sys.exit(f"'{text}' did not appear within {LIMIT_S} s:\n{screen}")


def put(page, name, screen):
    # Empty lines of the terminal say nothing on a page.
    screen = re.sub(r"\n{3,}", "\n\n", screen).replace(socket.gethostname(), "node0")
    block = re.compile(rf"(<!-- screen: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    assert block.search(page), name
    return block.sub(lambda found: f"{found[1]}```\n{screen}\n```\n{found[2]}", page)


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    page = PAGE.read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        environment = {**os.environ, "LD_LIBRARY_PATH": str(build / "lib" / "cpu_platform"), "OPENBLAS_NUM_THREADS": "1",
                       "RINGSIDE_DEVICE_MODEL": str(ROOT / "tests" / "e2e" / "device_model.conf")}
        job = subprocess.Popen([build / "bin" / "ringside", "record", "-o", folder / "run.ringside", "--profile", "standard", "--",
                                build / "bin" / "ddp_trainer", "--nproc", "4", "--steps", "100000", "--hidden", "256", "--layers", "12",
                                "--bucket-cap-mb", "1.5", "--timeout", "3600", "--fault", "late_rank:rank=1,ms=20"],
                               env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
        try:
            end = time.monotonic() + LIMIT_S
            while not list(folder.glob("run.ringside/*.live.json")) and time.monotonic() < end:
                time.sleep(0.5)
            terminal = Terminal(folder, f"cd {folder}; {build}/bin/ringside top run.ringside")
            page = put(page, "a late rank", terminal.until("alarm: rank 1"))
            terminal.tmux("send-keys", "e")
            page = put(page, "a late rank, explained", terminal.until("Alarm: rank 1"))
            terminal.tmux("kill-server")
        finally:
            os.killpg(job.pid, signal.SIGKILL)
            job.wait()
    PAGE.write_text(page)


main()
