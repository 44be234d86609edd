# SPDX-License-Identifier: Apache-2.0
"""A job on two emulated hosts, of which each summarizes its own traces: the summaries alone name the rank that is late."""

import os
import shlex
import shutil
import subprocess
import time
import unittest

import hosts
import lab

STEPS = 100
RANKS = 4  # two on each host
LIMIT_S = 200


@unittest.skipUnless(hosts.may_be_made(), "making network namespaces needs root")
class Reduce(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.addClassCleanup(hosts.remove)
        hosts.make()
        cls.late = cls.draw.randrange(RANKS)
        cls.names = cls.draw.sample(hosts.HOSTS, 2)
        ranks = [cls.start(rank) for rank in range(RANKS)]
        deadline = time.monotonic() + LIMIT_S
        cls.said = [rank.communicate(timeout=deadline - time.monotonic())[1] for rank in ranks]
        if any(rank.returncode != 0 for rank in ranks):
            raise AssertionError("\n".join(said[-2000:] for said in cls.said))
        cls.run_directory = cls.folder / "run.ringside"
        cls.summaries = cls.folder / "summaries"
        cls.run_directory.mkdir()
        cls.summaries.mkdir()
        for name in cls.names:
            for file in (cls.folder / name).glob("*.db"):
                shutil.copy(file, cls.summaries if file.name.endswith(".summary.db") else cls.run_directory)

    @classmethod
    def start(cls, rank):
        name = cls.names[rank // 2]
        environment = {**lab.emulated_gpu(), "RANK": str(rank), "WORLD_SIZE": str(RANKS), "LOCAL_RANK": str(rank % 2),
                       "MASTER_ADDR": hosts.address(cls.names[0]), "RINGSIDE_LAUNCH": f"{os.getpid()}-{name}"}
        command = [lab.RINGSIDE, "record", "-o", cls.folder / name, "--reduce", "--profile", "standard", "--", lab.TRAINER,
                   "--steps", STEPS, "--eval", 0, "--timeout", 120, *lab.SHAPE, "--fault", f"late_rank:rank={cls.late},ms=40"]
        return subprocess.Popen([*shlex.split(hosts.launcher(name)), *map(str, command)], env=environment,
                                stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

    def test_each_host_has_one_summary(self):
        self.assertEqual(sorted(file.name for file in self.summaries.iterdir()), sorted(f"{name}.summary.db" for name in self.names),
                         self.said)

    def test_the_summaries_name_the_late_rank_first_as_the_traces_do(self):
        traces, summaries = lab.report(self.run_directory), lab.report(self.summaries)
        self.first(traces, "late_rank", [self.late])
        found = self.first(summaries, "late_rank", [self.late])
        print(found["title"], flush=True)
        self.assertEqual(summaries["run"]["ranks_present"], list(range(RANKS)))
        self.assertEqual(sorted(summaries["run"]["hosts"]), sorted(self.names))
        self.assertEqual(summaries["coverage"]["summaries"]["processes"], RANKS)
        self.assertGreaterEqual(summaries["coverage"]["summaries"]["steps"], STEPS)
        self.assertLess(summaries["coverage"]["steps"]["analyzed"], STEPS / 2)
        self.assertEqual([each["id"] for each in summaries["issues"] if each["id"] == "collective_mismatch"], [])

    def test_a_query_counts_the_steps_of_all_ranks(self):
        steps = lab.run([lab.RINGSIDE, "query", self.summaries, "SELECT count(DISTINCT process_id || ' ' || id) FROM step_summary",
                         "--format", "csv"]).stdout
        self.assertGreaterEqual(int(steps.split()[-1]), RANKS * STEPS)

    def test_a_damaged_summary_is_named(self):
        damaged = self.folder / "damaged"
        shutil.copytree(self.summaries, damaged)
        (damaged / f"{self.names[1]}.summary.db").write_bytes(b"not any more")
        result = lab.report(damaged)
        self.assertEqual(result["run"]["ranks_present"], [0, 1])
        self.assertTrue([each for each in result["issues"] if f"{self.names[1]}.summary.db" in each["message"]], result["issues"])


if __name__ == "__main__":
    lab.main()
