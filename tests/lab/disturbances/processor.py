# SPDX-License-Identifier: Apache-2.0
"""One rank gets less of the processor than it wants, or none for a while."""

import contextlib
import dataclasses
import os
import pathlib
import subprocess
import time

from disturbances import Disturbance

CGROUPS = pathlib.Path("/sys/fs/cgroup")
PERIOD_US = 100_000
GROUP = f"ringside_lab_{os.getpid()}"


def folder_of_groups():
    """Where control groups with a CPU quota are made, version 1 or 2; None: this machine has none."""
    if (CGROUPS / "cpu" / "cpu.shares").exists():
        return CGROUPS / "cpu"
    controllers = CGROUPS / "cgroup.subtree_control"
    return CGROUPS if controllers.exists() and "cpu" in controllers.read_text().split() else None


@dataclasses.dataclass(frozen=True)
class Quota(Disturbance):
    """A container's limit on the processor (cpu.cfs_quota_us, cpu.max)."""

    rank: int
    processors: float

    def missing(self):
        folder = folder_of_groups()
        if folder is None:
            return "no control group has the cpu controller"
        return None if os.access(folder, os.W_OK) else "making control groups needs root"

    @contextlib.contextmanager
    def made(self):
        group = folder_of_groups() / GROUP
        group.mkdir()
        try:
            quota_us = round(self.processors * PERIOD_US)
            if (group / "cpu.max").exists():
                (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
            else:
                (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
                (group / "cpu.cfs_quota_us").write_text(str(quota_us))
            yield
        finally:
            remove(group)

    def words(self, rank):
        if rank != self.rank:
            return ()
        return ("sh", "-c", 'echo $$ > "$0" && exec "$@"', folder_of_groups() / GROUP / "cgroup.procs")


def remove(group):
    """Its processes have ended, or end now: a group is busy until the kernel has taken the last of them down."""
    for _ in range(100):
        try:
            group.rmdir()
            return
        except OSError:
            for process in (group / "cgroup.procs").read_text().split():
                os.kill(int(process), 9)
            time.sleep(0.1)
    raise RuntimeError(f"{group} still has processes")


@dataclasses.dataclass(frozen=True)
class Hogs(Disturbance):
    """Programs that compute for ever on the one processor that a rank is bound to."""

    rank: int
    count: int

    def missing(self):
        return None if len(os.sched_getaffinity(0)) > 1 else "the other ranks need a second processor"

    def binding(self):
        return ("taskset", "-c", min(os.sched_getaffinity(0)))

    @contextlib.contextmanager
    def made(self):
        hogs = [subprocess.Popen([*map(str, self.binding()), "sh", "-c", "while :; do :; done"]) for _ in range(self.count)]
        try:
            yield
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()

    def words(self, rank):
        return self.binding() if rank == self.rank else ()


@dataclasses.dataclass(frozen=True)
class Stops(Disturbance):
    """A rank is stopped by a signal for a while, again and again (a debugger, a snapshot, a migration)."""

    rank: int
    ms: int
    every_ms: int

    @contextlib.contextmanager
    def made(self):
        yield

    def words(self, rank):
        pause, run = self.ms / 1000, (self.every_ms - self.ms) / 1000
        loop = f"while sleep {run}; do kill -STOP $$ && sleep {pause}; kill -CONT $$ || break; done"
        # The loop must not keep the recorder's pipes open.
        return ("sh", "-c", f'({loop}) </dev/null >/dev/null 2>&1 & exec "$@"', "sh") if rank == self.rank else ()
