# SPDX-License-Identifier: Apache-2.0
"""The first process of a run's own process and mount namespace: gives it an empty /dev/shm, runs the command, waits for
everything it started, and writes down how it ended and what it left there. usage: inside.py ORDER.json ANSWER.json"""

import json
import os
import pathlib
import resource
import signal
import subprocess
import sys
import time


def started_processes():
    """{pid: name} of everything in this namespace but this process; a zombie has "(zombie)" behind its name."""
    found = {}
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                name, state = (entry / "stat").read_text().split("(", 1)[1].rsplit(")", 1)
            except OSError:
                continue  # it ended meanwhile
            found[int(entry.name)] = name + (" (zombie)" if state.split()[0] == "Z" else "")
    return found


def reap():
    """Takes the exit codes of orphans that ended. Returns how many."""
    count = 0
    try:
        while os.waitpid(-1, os.WNOHANG)[0]:
            count += 1
    except ChildProcessError:
        pass
    return count


def wait_for_orphans(deadline):
    """What a daemon does after its parent left belongs to the run. Returns the names of those that never end, and whether there
    was any."""
    outlived = reap() > 0 or bool(started_processes())
    while True:
        reap()
        left = started_processes()
        if not left or time.monotonic() > deadline:
            break
        time.sleep(0.01)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return sorted(left.values()), outlived


def run(order, deadline):
    """Returns the wait status of the command, or the word "timeout"."""
    with open(order["stdin"], "rb") as stdin, open(order["stdout"], "wb") as stdout, open(order["stderr"], "wb") as stderr:
        child = subprocess.Popen(order["command"], cwd=order["folder"], env=order["environment"], stdin=stdin, stdout=stdout,
                                 stderr=stderr, start_new_session=True)
    try:
        return child.wait(timeout=max(0, deadline - time.monotonic()))
    except subprocess.TimeoutExpired:
        names = ", ".join(sorted(started_processes().values()))
        os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        return f"did not end; running were {names}"


def everything_in(folder):
    return sorted(str(path.relative_to(folder)) for path in pathlib.Path(folder).rglob("*"))


def main():
    order = json.loads(pathlib.Path(sys.argv[1]).read_text())
    os.umask(0o022)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={order['shm']},mode=1777", "tmpfs", "/dev/shm"], check=True)
    begin = time.monotonic()
    status = run(order, begin + order["limit_s"])
    left, outlived = wait_for_orphans(begin + order["limit_s"])
    if (order["alone"] or outlived) and list(pathlib.Path(order["recover"][-1]).glob("*.rings")):
        subprocess.run(order["recover"], stdin=subprocess.DEVNULL, capture_output=True, timeout=order["limit_s"], check=False)
    answer = {"status": status, "left_running": left, "left_in_dev_shm": everything_in("/dev/shm"),
              "most_memory_kib": resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss,
              "left_in_system_v_memory": len(pathlib.Path("/proc/sysvipc/shm").read_text().splitlines()) - 1}
    pathlib.Path(sys.argv[2]).write_text(json.dumps(answer))


if __name__ == "__main__":
    main()
