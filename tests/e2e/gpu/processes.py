# SPDX-License-Identifier: Apache-2.0
"""Runs a command with everything that it starts, and ends all of it: also what made a session of its own, as torchrun's workers do."""

import ctypes
import os
import pathlib
import signal
import subprocess
import time

PR_SET_CHILD_SUBREAPER = 36
GRACE_S = 3  # for `ringside record` to close its run


def descendants():
    """Process ids of all that this process started, and of what those started."""
    children = {}
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent = stat.read_text().rpartition(")")[2].split()[:2]
        except (OSError, ValueError):
            continue  # it ended meanwhile
        if state != "Z":
            children.setdefault(int(parent), []).append(int(stat.parent.name))
    found = list(children.get(os.getpid(), []))
    for pid in found:
        found += children.get(pid, [])
    return found


def send(number):
    for pid in descendants():
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            pass  # it ended meanwhile


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass
    except ChildProcessError:
        pass  # none is left


def end_all():
    """First asks, then kills until none is left; returns within GRACE_S and little more."""
    if descendants():
        send(signal.SIGTERM)
    over = time.monotonic() + GRACE_S
    while descendants() and time.monotonic() < over:
        time.sleep(0.05)
    over = time.monotonic() + GRACE_S
    while descendants() and time.monotonic() < over:  # one that the driver holds does not go
        send(signal.SIGKILL)
        time.sleep(0.05)


def run(words, limit_s, log, environment):
    """The exit code of the command, None: it was ended at its limit."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    process = subprocess.Popen([str(word) for word in words], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                               start_new_session=True, env=environment)
    try:
        return process.wait(limit_s)
    except subprocess.TimeoutExpired:
        return None
    finally:
        end_all()
        process.poll()
        reap()
