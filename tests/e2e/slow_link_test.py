# SPDX-License-Identifier: Apache-2.0
"""A training run over a slowed link, a rank a host: each host records its own, all files together are the run, and its report
names the link, or the one that loses segments. The ring of ranks lies differently over the hosts in each round; RINGSIDE_SLOW_LINK_ROUNDS is their number (2;
10 by hand). Needs root; otherwise it is skipped with the reason."""

import os
import shlex
import shutil
import subprocess
import time
import unittest

import hosts
import lab

ROUNDS = int(os.environ.get("RINGSIDE_SLOW_LINK_ROUNDS", 2))
STEPS = 25
LIMIT_S = 100


@unittest.skipUnless(hosts.may_be_made(), "making network namespaces needs root")
class SlowLink(lab.Scenario):
    def setUp(self):
        self.addCleanup(hosts.remove)
        hosts.make()

    def start(self, rank, order, folder, steps):
        environment = {**lab.emulated_gpu(), "RANK": str(rank), "WORLD_SIZE": str(len(order)), "LOCAL_RANK": "0",
                       "MASTER_ADDR": hosts.address(order[0])}
        command = [lab.RINGSIDE, "record", "-o", folder / order[rank], "--profile", "standard", "--", lab.TRAINER,
                   "--steps", steps, "--eval", 0, "--timeout", 60, *lab.SHAPE]
        return subprocess.Popen([*shlex.split(hosts.launcher(order[rank])), *map(str, command)], env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def trained(self, order, steps=STEPS):
        """The report of a run whose ranks are on the hosts in this order."""
        folder = self.folder / "recorded"
        shutil.rmtree(folder, ignore_errors=True)
        run = folder / "run.ringside"
        run.mkdir(parents=True)
        ranks = [self.start(rank, order, folder, steps) for rank in range(len(order))]
        deadline = time.monotonic() + LIMIT_S
        for rank in ranks:
            said = rank.communicate(timeout=deadline - time.monotonic())[1]
            self.assertEqual(rank.returncode, 0, said[-2000:])
        for file in folder.glob("?/*.db"):
            file.rename(run / file.name)
        merged = folder / "run.db"
        lab.run([lab.RINGSIDE, "merge", run, "-o", merged])
        return lab.report(merged)

    def slow_links(self, result):
        return [(each["links"], each["ranks"], each["title"]) for each in result["findings"] if each["rule"] == "slow_link"]

    def test_the_slow_direction_of_a_pair_is_named(self):
        for _ in range(ROUNDS):
            order = self.draw.sample(hosts.HOSTS, len(hosts.HOSTS))
            rank = self.draw.randrange(len(order))
            sender, receiver = order[rank], order[(rank + 1) % len(order)]
            rate = self.draw.choice(("100mbit", "150mbit", "200mbit"))
            with self.subTest(order=order, sender=sender, receiver=receiver, rate=rate, seed=lab.SEED):
                hosts.slow_pair(sender, receiver, rate)
                result = self.trained(order)
                hosts.heal(sender)
                found = self.first(result, "slow_link", [rank, (rank + 1) % len(order)])
                print(found["title"], flush=True)
                self.assertEqual(found["links"], [f"{sender} -> {receiver}"])
                self.assertEqual(len(self.slow_links(result)), 1, self.slow_links(result))
                self.assertEqual(result["verdict"]["limited_by"], "link")

    def test_a_host_with_a_slow_card_is_named(self):
        order = self.draw.sample(hosts.HOSTS, len(hosts.HOSTS))
        rank = self.draw.randrange(len(order))
        hosts.slow_host(order[rank], "150mbit")
        found = self.first(self.trained(order), "slow_link", [rank])
        print(found["title"], flush=True)
        self.assertEqual(len(found["links"]), 2)
        self.assertTrue(found["title"].startswith(f"Host {order[rank]} is at an end"), found["title"])

    def test_a_probe_in_the_run_is_what_all_slow_links_are_held_against(self):
        """Where all are slow alike, the run itself does not show it."""
        recorded = self.folder / "recorded"
        for host in hosts.HOSTS:
            hosts.slow_host(host, "150mbit")
        before = self.trained(hosts.HOSTS)
        for host in hosts.HOSTS:
            hosts.heal(host)
        self.assertEqual(self.slow_links(before), [])
        started = [word for host in hosts.HOSTS for word in ("--hosts", hosts.launcher(host))]
        lab.run([lab.RINGSIDE, "probe", "--leader", hosts.GATEWAY, "--into", recorded / "run.ringside", *started])
        result = lab.report(recorded / "run.ringside")
        self.assertEqual({rank["rank"] for rank in result["ranks"]}, {0, 1, 2, 3}, "the probe is no rank")
        self.assertEqual(sorted(link for links, _, _ in self.slow_links(result) for link in links), ["a -> b", "b -> c", "c -> d", "d -> a"])
        self.assertIn("`ringside probe` measured", self.slow_links(result)[0][2])

    def test_half_a_percent_of_loss_is_named_within_five_steps(self):
        """Five steps between the first and the last, which are boundaries."""
        order = self.draw.sample(hosts.HOSTS, len(hosts.HOSTS))
        rank = self.draw.randrange(len(order))
        receiver = (rank + 1) % len(order)
        hosts.lose(order[receiver], 200)
        result = self.trained(order, steps=7)
        found = self.finding(result, "congestion_control", sorted((rank, receiver)))
        print(found["title"], flush=True)
        self.assertEqual(found["links"], [f"{order[rank]} -> {order[receiver]}"])
        self.assertEqual(self.slow_links(result), [])

    def test_where_all_are_alike_none_is_blamed(self):
        result = self.trained(hosts.HOSTS)
        self.assertEqual(self.slow_links(result), [])
        self.assertNotIn("congestion_control", [each["rule"] for each in result["findings"]])
        self.assertNotIn("slow_link", [each["rule"] for each in result["not_applicable"]])


if __name__ == "__main__":
    lab.main()
