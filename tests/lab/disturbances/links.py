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

WIRE_MAC = "02:00:0a:4d:00:02"  # of the station that delays, on the bridge of hosts

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
        tap, peers = hosts.port(self.host) + "t", [self.peer] if self.peer else [*hosts.others(self.host)]
        macs = [f"{hosts.address(each)}={hosts.hardware_address(each)}" for each in (self.host, *peers)]
        words = [sys.executable, pathlib.Path(__file__).with_name("late_wire.py"), tap, WIRE_MAC, str(self.ms), *macs]
        wire = subprocess.Popen(words, stdout=subprocess.PIPE)
        try:
            wire.stdout.readline()
            hosts.command("ip", "link", "set", tap, "master", hosts.BRIDGE, "up")
            hosts.command("bridge", "fdb", "add", WIRE_MAC, "dev", tap, "master", "static")
            for peer in peers:
                hosts.detour(self.host, peer, WIRE_MAC)
            yield
        finally:
            for peer in peers:
                hosts.end_detour(self.host, peer)
            wire.kill()  # the tap goes with it
            wire.communicate()
