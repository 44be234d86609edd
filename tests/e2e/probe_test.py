# SPDX-License-Identifier: Apache-2.0
"""`ringside probe` between two and four hosts: RINGSIDE_BUILD_DIR names the build. One direction of a random pair is slowed and
must be named; loss, delay, and delay behind a slow direction likewise. RINGSIDE_PROBE_ROUNDS is the number of rounds (3; 10 by
hand). Needs root; otherwise it is skipped with the reason."""

import json
import os
import pathlib
import random
import subprocess
import sys
import unittest

import hosts
import lab

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "lab"))  # the lab's disturbances
from disturbances.links import Late

ROUNDS = int(os.environ.get("RINGSIDE_PROBE_ROUNDS", 3))

@unittest.skipUnless(hosts.may_be_made(), "making network namespaces needs root")
class Probe(unittest.TestCase):
    def setUp(self):
        self.addCleanup(hosts.remove)
        hosts.make()

    def probe(self, *arguments, names=hosts.HOSTS):
        started = [word for host in names for word in ("--hosts", hosts.launcher(host))]
        done = subprocess.run([lab.RINGSIDE, "probe", "--leader", hosts.GATEWAY, "--format", "json", *started, *arguments],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        return done.returncode, json.loads(done.stdout)

    def test_the_slow_direction_is_named_whichever_it_is(self):
        draw = random.Random(lab.SEED)
        for _ in range(ROUNDS):
            sender, receiver = draw.sample(hosts.HOSTS, 2)
            rate = draw.choice(("100mbit", "300mbit", "800mbit"))
            with self.subTest(sender=sender, receiver=receiver, rate=rate, seed=lab.SEED):
                hosts.slow_pair(sender, receiver, rate)
                code, found = self.probe("--fail-on-outlier")
                hosts.heal(sender)
                self.assertEqual(code, 1)
                slowest = min(found["directions"], key=lambda each: each["gbps"])
                self.assertEqual((slowest["sender"], slowest["receiver"]), (sender, receiver))
                self.assertIn((sender, receiver), [(each["sender"], each["receiver"]) for each in found["outliers"]])
                self.assertLess(slowest["gbps"], 1.2 * float(rate.removesuffix("mbit")) / 1000)

    def test_a_host_that_cannot_be_reached_is_none_in_the_matrix(self):
        hosts.command("ip", "-n", hosts.namespace("c"), "route", "add", "unreachable", f"{hosts.address('d')}/32")
        _, found = self.probe()
        missing = {(each["sender"], each["receiver"]) for each in found["directions"] if each["gbps"] is None}
        self.assertEqual(missing, {("c", "d"), ("d", "c")})
        self.assertEqual({each["cause"] for each in found["outliers"] if {each["sender"], each["receiver"]} == {"c", "d"}}, {"unreachable"})

    def test_one_percent_loss_is_named_with_its_latency(self):
        """Towards b, of two hosts, where there is no median, and of four."""
        hosts.lose("b", 100)
        for names in ("ab", hosts.HOSTS):
            with self.subTest(names=names):
                _, found = self.probe(names=names)
                lossy = causes(found, "loss")
                senders = {sender for sender, receiver in lossy if receiver == "b"}
                self.assertEqual(senders, set(names) - {"b"}, found["outliers"])
                self.assertTrue(all("b" in ends for ends in lossy), found["outliers"])
                worst = direction(found, "a", "b")
                self.assertGreater(worst["retransmits_per_gb"], 0)
                self.assertGreaterEqual(worst["round_trip_p999_us"], worst["round_trip_p99_us"])
                self.assertGreater(worst["round_trip_p999_us"], 20 * worst["round_trip_us"])
                self.assertGreater(worst["pings_lost"], 0)

    def test_a_network_in_order_is_not_called_lossy(self):
        _, found = self.probe()
        self.assertEqual(causes(found, "loss"), set(), found["outliers"])

    def test_delay_of_one_pair_is_named(self):
        late = Late("a", 2, "c")
        if late.missing():
            self.skipTest(late.missing())
        with late.made():
            _, found = self.probe()
            self.assertEqual(causes(found, "latency"), {("a", "c"), ("c", "a")}, found["outliers"])

    def test_a_slow_direction_does_not_hide_its_delay(self):
        late = Late("a", 2, "c")
        if late.missing():
            self.skipTest(late.missing())
        hosts.slow_pair("a", "c", "100mbit")
        for names in ("ac", hosts.HOSTS):
            with self.subTest(names=names), late.made():
                _, found = self.probe(names=names)
                self.assertEqual(causes(found, "latency"), {("a", "c"), ("c", "a")}, found["outliers"])
                self.assertIn(("a", "c"), causes(found, "bandwidth") | causes(found, "loss"), found["outliers"])


def causes(found, cause):
    """The directions of outliers with this cause."""
    return {(each["sender"], each["receiver"]) for each in found["outliers"] if each["cause"] == cause}


def direction(found, sender, receiver):
    return next(each for each in found["directions"] if (each["sender"], each["receiver"]) == (sender, receiver))


if __name__ == "__main__":
    lab.main()
