# SPDX-License-Identifier: Apache-2.0
"""Where the ranks of a training run. A place is made for a scenario, records it, and is gone afterwards, also when that fails."""

import contextlib
import dataclasses
import os
import shlex
import shutil
import socket
import subprocess
import time

import hosts
import lab

PORT = 29500
LIMIT_S = 110


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def start(variables, words):
    """A shell's line that starts a rank and remembers its process."""
    assigned = [f"{name}={shlex.quote(str(value))}" for name, value in variables.items()]
    return " ".join([*assigned, shlex.join(str(word) for word in words), "&", "pids+=($!)"])


def script(starts):
    """A shell's words that run such lines, and fail where one of the processes does."""
    return ["bash", "-c", "\n".join(["pids=()", *starts, 'for pid in "${pids[@]}"; do wait "$pid" || exit 1; done'])]


@dataclasses.dataclass(frozen=True)
class Loopback:
    """All ranks on this machine, recorded together."""

    probed = None

    def missing(self):
        return None

    def made(self):
        return contextlib.nullcontext()

    def record(self, ranks, directory, options=()):
        """`ranks`: variables and words of each. `options`: of `ringside record`."""
        meeting = {"WORLD_SIZE": len(ranks), "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
        lab.record(directory, script(start({**meeting, "RANK": rank, "LOCAL_RANK": rank, **variables}, words)
                                     for rank, (variables, words) in enumerate(ranks)), options=options)


@dataclasses.dataclass(frozen=True)
class Hosts:
    """Network namespaces as hosts, each with an equal part of the ranks, that record their own."""

    names: str
    clocks: tuple = ()         # a clock.Clock a host, or none
    probed: str | None = None  # when `ringside probe` measures the links: still "disturbed", or "quiet" again

    def missing(self):
        return None if hosts.may_be_made() else "making network namespaces needs root"

    @contextlib.contextmanager
    def made(self):
        try:
            hosts.make()
            yield
        finally:
            hosts.remove()

    def launcher(self, host):
        clock = self.clocks[self.names.index(host)].words() if self.clocks else ()
        return [*shlex.split(hosts.launcher(host)), *clock]

    def record(self, ranks, directory, options=()):
        shutil.rmtree(directory, ignore_errors=True)
        directory.mkdir(parents=True)
        each = len(ranks) // len(self.names)
        recorders = []
        try:
            for index, host in enumerate(self.names):
                recorders.append(self.recorder(host, dict(list(enumerate(ranks))[index * each:(index + 1) * each]), len(ranks), directory, options))
            deadline = time.monotonic() + LIMIT_S
            for recorder in recorders:
                said = recorder.communicate(timeout=max(1, deadline - time.monotonic()))[1]
                if recorder.returncode != 0:
                    raise AssertionError(f"a host's recording ended with {recorder.returncode}:\n{said[-4000:]}")
        finally:
            for recorder in recorders:
                if recorder.poll() is None:
                    os.killpg(recorder.pid, 9)
        for file in directory.glob("?/*.db"):
            file.rename(directory / file.name)
        for host in self.names:
            shutil.rmtree(directory / host)

    def probe(self, directory):
        started = [word for host in self.names for word in ("--hosts", hosts.launcher(host))]
        lab.run([lab.RINGSIDE, "probe", "--leader", hosts.GATEWAY, "--into", directory, *started])

    def recorder(self, host, ranks, world, directory, options):
        meeting = {"WORLD_SIZE": world, "MASTER_ADDR": hosts.address(self.names[0]), "MASTER_PORT": PORT}
        starts = [start({**meeting, "RANK": rank, "LOCAL_RANK": local, **variables}, words)
                  for local, (rank, (variables, words)) in enumerate(ranks.items())]
        command = [*self.launcher(host), lab.RINGSIDE, "record", "-o", directory / host, "--profile", "standard", *options, "--", *script(starts)]
        return subprocess.Popen([str(word) for word in command], env=lab.emulated_gpu(), stdout=subprocess.DEVNULL,
                                stderr=subprocess.PIPE, text=True, start_new_session=True)
