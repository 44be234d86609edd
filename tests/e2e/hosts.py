# SPDX-License-Identifier: Apache-2.0
"""Four hosts for scenarios: network namespaces on a bridge of their own, each with a card eth0 and a name, whose links the
kernel slows down (htb, tbf) or makes lossy (bpf). Needs root."""

import contextlib
import json
import os
import signal
import subprocess

HOSTS = "abcd"
BRIDGE = f"rsb{os.getpid() % 100000}"
MACHINE = "machine"  # this machine, which is on the bridge, too
GATEWAY = "10.77.0.1"  # its address there


def command(*words):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"exit code {done.returncode}: {' '.join(map(str, words))}\n{done.stderr.strip()}")


def namespace(host):
    return f"{BRIDGE}{host}"


def address(host):
    return GATEWAY if host == MACHINE else f"10.77.0.{10 + HOSTS.index(host)}"


def others(host):
    """The names of the other hosts, and this machine's."""
    return [*(each for each in HOSTS if each != host), MACHINE]


def launcher(host):
    """Starts a program on a host, which also gets its name."""
    return f"ip netns exec {namespace(host)} unshare --uts sh -c 'hostname {host}; exec \"$@\"' sh"


def may_be_made():
    probe = subprocess.run(["ip", "netns", "add", BRIDGE + "x"], capture_output=True)
    subprocess.run(["ip", "netns", "del", BRIDGE + "x"], capture_output=True)
    return probe.returncode == 0


def make():
    # With an address of its own: else it takes that of a port, and hosts lose this machine when a port leaves.
    command("ip", "link", "add", BRIDGE, "address", "02:00:0a:4d:00:01", "type", "bridge")
    command("ip", "addr", "add", f"{GATEWAY}/24", "dev", BRIDGE)
    command("ip", "link", "set", BRIDGE, "up")
    for host in HOSTS:
        command("ip", "netns", "add", namespace(host))
        command("ip", "link", "add", port(host), "type", "veth", "peer", "name", "eth0", "netns", namespace(host))
        command("ip", "link", "set", port(host), "master", BRIDGE, "up")
        command("ip", "-n", namespace(host), "addr", "add", f"{address(host)}/24", "dev", "eth0")
        for device in ("eth0", "lo"):
            command("ip", "-n", namespace(host), "link", "set", device, "up")


def remove():
    for host in HOSTS:
        left = subprocess.run(["ip", "netns", "pids", namespace(host)], capture_output=True, text=True).stdout.split()
        for process in left:  # of a run that was broken off
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(process), signal.SIGKILL)
        # First: a namespace takes its links with it later, when the next hosts may want their names already.
        subprocess.run(["ip", "link", "del", port(host)], capture_output=True)
        subprocess.run(["ip", "netns", "del", namespace(host)], capture_output=True)
    subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)


def port(host):
    """The bridge's end of a host's link."""
    return f"{BRIDGE}v{host}"


def ip(host):
    """The tool ip for a host's network, and the host's device there."""
    return (("ip",), BRIDGE) if host == MACHINE else (("ip", "-n", namespace(host)), "eth0")


def hardware_address(host):
    tool, device = ip(host)
    shown = subprocess.run([*tool, "-json", "link", "show", device], capture_output=True, text=True, check=True).stdout
    return json.loads(shown)[0]["address"]


def detour(host, peer, mac):
    """What two hosts exchange goes to the station with this hardware address."""
    for sender, receiver in ((host, peer), (peer, host)):
        tool, device = ip(sender)
        command(*tool, "neighbour", "replace", address(receiver), "lladdr", mac, "dev", device, "nud", "permanent")


def end_detour(host, peer):
    for sender, receiver in ((host, peer), (peer, host)):
        tool, device = ip(sender)
        subprocess.run([*tool, "neighbour", "del", address(receiver), "dev", device], capture_output=True)


def tc(host):
    return ("ip", "netns", "exec", namespace(host), "tc")


def slow_pair(sender, receiver, rate):
    """One direction of one pair."""
    command(*tc(sender), "qdisc", "replace", "dev", "eth0", "root", "handle", "1:", "htb", "default", "10")
    command(*tc(sender), "class", "replace", "dev", "eth0", "parent", "1:", "classid", "1:10", "htb", "rate", "40gbit")
    command(*tc(sender), "class", "replace", "dev", "eth0", "parent", "1:", "classid", "1:20", "htb", "rate", rate)
    command(*tc(sender), "filter", "add", "dev", "eth0", "parent", "1:", "protocol", "ip", "prio", "1", "u32", "match", "ip",
            "dst", f"{address(receiver)}/32", "flowid", "1:20")


def slow_host(host, rate):
    """All that a host sends and all that it receives."""
    for tool, device in ((tc(host), "eth0"), (("tc",), port(host))):
        command(*tool, "qdisc", "replace", "dev", device, "root", "tbf", "rate", rate, "burst", "128kb", "latency", "50ms")


def lose(host, one_of):
    """One of so many segments that a host receives is lost at random. Kernels without netem have a classifier that draws a number
    (bpf), and a queue that takes nothing. The hosts send each segment alone: of packets of 45 segments too few would be drawn."""
    for sender in HOSTS:
        command("ip", "-n", namespace(sender), "link", "set", "eth0", "gso_max_segs", "1")
    device = port(host)
    command("tc", "qdisc", "replace", "dev", device, "root", "handle", "1:", "htb", "default", "10")
    for kind in ("10", "20"):
        command("tc", "class", "replace", "dev", device, "parent", "1:", "classid", f"1:{kind}", "htb", "rate", "40gbit", "quantum", "60000")
    command("tc", "qdisc", "add", "dev", device, "parent", "1:20", "bfifo", "limit", "1")
    drawn = ("32 0 0 4294963256",                # a random number of 32 bits
             f"53 0 1 {(1 << 32) // one_of}",    # not below this:
             "6 0 0 0", "6 0 0 4294967295")      # no match; else the filter's class
    command("tc", "filter", "add", "dev", device, "parent", "1:", "protocol", "all", "prio", "1", "bpf", "bytecode",
            ",".join((str(len(drawn)), *drawn)), "flowid", "1:20")


def heal(host):
    for tool, device in ((tc(host), "eth0"), (("tc",), port(host))):
        subprocess.run([*tool, "qdisc", "del", "dev", device, "root"], capture_output=True)
    for sender in HOSTS:
        subprocess.run(["ip", "-n", namespace(sender), "link", "set", "eth0", "gso_max_segs", "65535"], capture_output=True)
