# SPDX-License-Identifier: Apache-2.0
"""What a first try looks like: a program on one GPU that no launcher started, and runs of 20 steps, recorded without options."""

import lab

STEPS = 20


def plain_environment():
    """Without what a launcher sets."""
    return {name: value for name, value in lab.emulated_gpu().items()
            if name not in ("RANK", "WORLD_SIZE", "LOCAL_RANK") and not name.startswith(("OMPI_", "PMI_", "SLURM_"))}


class ShortRun(lab.Scenario):
    def recorded(self, name, *options):
        directory = self.folder / f"{name}.ringside"
        command = [lab.TRAINER, *options, "--steps", STEPS, "--hidden", 256, "--layers", 12]
        lab.record(directory, command, profile="auto", environment=plain_environment())
        return lab.report(directory)

    def expect_measured(self, result, ranks):
        self.assertEqual(result["run"]["world_size"], ranks)
        self.assertEqual(result["run"]["ranks_present"], list(range(ranks)))
        self.assertTrue(result["run"]["emulated"])
        self.assertGreaterEqual(result["coverage"]["steps"]["with_device"], STEPS // 2, result["coverage"])
        self.assertNotEqual(result["verdict"]["confidence"], "inconclusive", result["verdict"])
        for rank in result["ranks"]:
            self.assertGreater(rank["compute_ns"], 0)
            self.assertGreater(rank["gpu_utilization"], 0)

    def test_one_gpu_without_a_launcher_is_rank_0_of_1(self):
        result = self.recorded("single", "--parallel", "single")
        self.expect_measured(result, 1)
        self.assertEqual(result["ranks"][0]["communication_ns"], 0)

    def test_twenty_steps_of_two_ranks_have_device_work(self):
        result = self.recorded("two", "--nproc", 2)
        self.expect_measured(result, 2)
        self.assertGreater(result["ranks"][0]["communication_ns"], 0)


if __name__ == "__main__":
    lab.main()
