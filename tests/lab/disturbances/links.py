# SPDX-License-Identifier: Apache-2.0
"""Links between hosts (places.Hosts) that are slow, late or lossy."""

import contextlib
import dataclasses
import os
import pathlib
import subprocess
import sys

import hosts
from disturbances import Disturbance


@dataclasses.dataclass(frozen=True)
class SlowHost(Disturbance):
    """A card that is slow in both directions (tbf)."""

    host: str
    rate: str

    @contextlib.contextmanager
    def made(self):
        hosts.slow_host(self.host, self.rate)
        try:
            yield
        finally:
            hosts.heal(self.host)


@dataclasses.dataclass(frozen=True)
class SlowDirection(Disturbance):
    """From one host to one other (htb)."""

    sender: str
    receiver: str
    rate: str

    @contextlib.contextmanager
    def made(self):
        hosts.slow_pair(self.sender, self.receiver, self.rate)
        try:
            yield
        finally:
            hosts.heal(self.sender)


@dataclasses.dataclass(frozen=True)
class Lossy(Disturbance):
    """One of so many packets towards a host is lost at random, on the switch's side, where the sender learns nothing of it."""

    host: str
    one_of: int

    @contextlib.contextmanager
    def made(self):
        hosts.lose(self.host, self.one_of)
        try:
            yield
        finally:
            hosts.heal(self.host)


@dataclasses.dataclass(frozen=True)
class Late(Disturbance):
    """What a host sends and receives comes so many ms late, or only what it exchanges with one other."""

    host: str
    ms: float
    peer: str = ""

    def missing(self):
        return None if os.access("/dev/net/tun", os.W_OK) else "no /dev/net/tun, and delays need one where the kernel has no netem"

    @contextlib.contextmanager
    def made(self):
        port, tap = hosts.port(self.host), hosts.port(self.host) + "t"
        hosts.command("ip", "link", "set", port, "nomaster")
        words = [sys.executable, str(pathlib.Path(__file__).with_name("late_wire.py")), port, tap, str(self.ms)]
        wire = subprocess.Popen([*words, *([hosts.address(self.peer)] if self.peer else [])], stdout=subprocess.PIPE)
        try:
            wire.stdout.readline()
            hosts.command("ip", "link", "set", tap, "master", hosts.BRIDGE, "up")
            yield
        finally:
            wire.kill()  # the tap goes with it
            wire.communicate()
            hosts.command("ip", "link", "set", port, "master", hosts.BRIDGE)
