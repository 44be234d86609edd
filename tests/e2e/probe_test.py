# SPDX-License-Identifier: Apache-2.0
"""`ringside probe` between four hosts, which are network namespaces on a bridge of their own: RINGSIDE_BUILD_DIR
names the build. One direction of one
pair is slowed by the kernel (htb) and must be named, whichever it is; RINGSIDE_PROBE_ROUNDS says how often (3; 10 by hand).
Needs root; skipped, and said, without."""

import json
import os
import pathlib
import random
import subprocess
import unittest

RINGSIDE = pathlib.Path(os.environ["RINGSIDE_BUILD_DIR"]).resolve() / "bin" / "ringside"
ROUNDS = int(os.environ.get("RINGSIDE_PROBE_ROUNDS", 3))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 30)))
HOSTS = "abcd"
BRIDGE = f"rsb{os.getpid() % 100000}"


def run(*words):
    subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True)


def namespace(host):
    return f"{BRIDGE}{host}"


def address(host):
    return f"10.77.0.{10 + HOSTS.index(host)}"


def launcher(host):
    """Starts a program on a host, which also gets its name."""
    return f"ip netns exec {namespace(host)} unshare --uts sh -c 'hostname {host}; exec \"$@\"' sh"


def may_make_hosts():
    probe = subprocess.run(["ip", "netns", "add", BRIDGE + "x"], capture_output=True)
    subprocess.run(["ip", "netns", "del", BRIDGE + "x"], capture_output=True)
    return probe.returncode == 0


@unittest.skipUnless(may_make_hosts(), "making network namespaces needs root")
class Probe(unittest.TestCase):
    def setUp(self):
        self.addCleanup(self.remove)
        run("ip", "link", "add", BRIDGE, "type", "bridge")
        run("ip", "addr", "add", "10.77.0.1/24", "dev", BRIDGE)
        run("ip", "link", "set", BRIDGE, "up")
        for host in HOSTS:
            link = f"{BRIDGE}v{host}"
            run("ip", "netns", "add", namespace(host))
            run("ip", "link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", namespace(host))
            run("ip", "link", "set", link, "master", BRIDGE, "up")
            run("ip", "-n", namespace(host), "addr", "add", f"{address(host)}/24", "dev", "eth0")
            for device in ("eth0", "lo"):
                run("ip", "-n", namespace(host), "link", "set", device, "up")

    def remove(self):
        for host in HOSTS:
            subprocess.run(["ip", "netns", "del", namespace(host)], capture_output=True)
        subprocess.run(["ip", "link", "del", BRIDGE], capture_output=True)

    def probe(self, *arguments):
        hosts = [word for host in HOSTS for word in ("--hosts", launcher(host))]
        done = subprocess.run([RINGSIDE, "probe", "--leader", "10.77.0.1", "--format", "json", *hosts, *arguments], capture_output=True,
                              text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        return done.returncode, json.loads(done.stdout)

    def slow(self, sender, receiver, rate):
        tc = ("ip", "netns", "exec", namespace(sender), "tc")
        run(*tc, "qdisc", "replace", "dev", "eth0", "root", "handle", "1:", "htb", "default", "10")
        run(*tc, "class", "replace", "dev", "eth0", "parent", "1:", "classid", "1:10", "htb", "rate", "40gbit")
        run(*tc, "class", "replace", "dev", "eth0", "parent", "1:", "classid", "1:20", "htb", "rate", rate)
        run(*tc, "filter", "add", "dev", "eth0", "parent", "1:", "protocol", "ip", "prio", "1", "u32", "match", "ip", "dst",
            f"{address(receiver)}/32", "flowid", "1:20")

    def heal(self, sender):
        run("ip", "netns", "exec", namespace(sender), "tc", "qdisc", "del", "dev", "eth0", "root")

    def test_the_slow_direction_is_named_whichever_it_is(self):
        draw = random.Random(SEED)
        for _ in range(ROUNDS):
            sender, receiver = draw.sample(HOSTS, 2)
            rate = draw.choice(("100mbit", "300mbit", "800mbit"))
            with self.subTest(sender=sender, receiver=receiver, rate=rate, seed=SEED):
                self.slow(sender, receiver, rate)
                code, found = self.probe("--fail-on-outlier")
                self.heal(sender)
                self.assertEqual(code, 1)
                slowest = min(found["directions"], key=lambda each: each["gbps"])
                self.assertEqual((slowest["sender"], slowest["receiver"]), (sender, receiver))
                self.assertIn((sender, receiver), [(each["sender"], each["receiver"]) for each in found["outliers"]])
                self.assertLess(slowest["gbps"], 1.2 * float(rate.removesuffix("mbit")) / 1000)

    def test_a_host_that_cannot_be_reached_is_none_in_the_matrix(self):
        run("ip", "netns", "exec", namespace("c"), "ip", "route", "add", "unreachable", f"{address('d')}/32")
        _, found = self.probe()
        missing = {(each["sender"], each["receiver"]) for each in found["directions"] if each["gbps"] is None}
        self.assertEqual(missing, {("c", "d"), ("d", "c")})
        self.assertEqual({each["cause"] for each in found["outliers"] if {each["sender"], each["receiver"]} == {"c", "d"}}, {"unreachable"})


if __name__ == "__main__":
    unittest.main()
