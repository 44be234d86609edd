# SPDX-License-Identifier: Apache-2.0
"""`ringside probe` between four hosts: RINGSIDE_BUILD_DIR names the build. One direction of a random pair is slowed and must be
named. RINGSIDE_PROBE_ROUNDS is the number of rounds (3; 10 by hand). Needs root; otherwise it is skipped with the reason."""

import json
import os
import pathlib
import random
import subprocess
import unittest

import hosts

RINGSIDE = pathlib.Path(os.environ["RINGSIDE_BUILD_DIR"]).resolve() / "bin" / "ringside"
ROUNDS = int(os.environ.get("RINGSIDE_PROBE_ROUNDS", 3))
SEED = int(os.environ.get("RINGSIDE_TEST_SEED", random.randrange(1 << 30)))

@unittest.skipUnless(hosts.may_be_made(), "making network namespaces needs root")
class Probe(unittest.TestCase):
    def setUp(self):
        self.addCleanup(hosts.remove)
        hosts.make()

    def probe(self, *arguments):
        started = [word for host in hosts.HOSTS for word in ("--hosts", hosts.launcher(host))]
        done = subprocess.run([RINGSIDE, "probe", "--leader", hosts.GATEWAY, "--format", "json", *started, *arguments],
                              capture_output=True, text=True, timeout=120)
        self.assertEqual(done.stderr, "")
        return done.returncode, json.loads(done.stdout)

    def test_the_slow_direction_is_named_whichever_it_is(self):
        draw = random.Random(SEED)
        for _ in range(ROUNDS):
            sender, receiver = draw.sample(hosts.HOSTS, 2)
            rate = draw.choice(("100mbit", "300mbit", "800mbit"))
            with self.subTest(sender=sender, receiver=receiver, rate=rate, seed=SEED):
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


if __name__ == "__main__":
    unittest.main()
