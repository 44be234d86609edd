# SPDX-License-Identifier: Apache-2.0
"""However devices work together, by ranks, in one process or alone, and whatever carries their gradients: they learn the same."""

import array
import json
import unittest

import trainer_process as trainer

COMMON = ("--hidden", 96, "--layers", 3, "--steps", 20, "--batch", 48)


class Parallel(unittest.TestCase):
    def trained(self, *arguments, **variables):
        """(parameters, result, output)"""
        parameters, result = trainer.FOLDER / "parallel.parameters", trainer.FOLDER / "parallel.json"
        code, out, err = trainer.run(*arguments, "--dump-parameters", parameters, "--json", result, **variables)
        self.assertEqual(code, 0, out + err)
        values = array.array("f")
        values.frombytes(parameters.read_bytes())
        return values, json.loads(result.read_text()), out

    def assert_close(self, expected, actual):
        self.assertEqual(len(expected), len(actual))
        self.assertLess(max(abs(a - b) for a, b in zip(expected, actual)), 2e-4)

    def assert_refused(self, expected, *arguments, **variables):
        code, out, err = trainer.run(*arguments, timeout=20, **variables)
        self.assertEqual(code, 2, out + err)
        self.assertRegex(out + err, expected)

    def test_devices_of_one_process_learn_what_ranks_learn(self):
        for common in ((*COMMON, "--eval", 100), (*COMMON, "--eval", 0, "--accumulate", 2),
                       ("--model", "convnet", "--steps", 8, "--batch", 48, "--eval", 0)):
            expected, ranks, _ = self.trained(*common, "--nproc", 2)
            for devices in (2, 4):
                with self.subTest(common=common, devices=devices):
                    actual, result, out = self.trained(*common, "--parallel", "dp", "--devices", devices)
                    self.assert_close(expected, actual)
                    self.assertEqual((result["parallel"], result["world_size"], result["devices"]), ("dp", 1, devices))
                    self.assertEqual(result["bucket_bytes"], [])
                    self.assertRegex(out, f"{devices} devices, batch 48 \\({48 // devices} a device\\)")
                    if ranks["accuracy"] is not None:
                        self.assertAlmostEqual(result["accuracy"], ranks["accuracy"], delta=0.02)

    def test_losses_are_those_of_the_whole_batch(self):
        _, alone, _ = self.trained(*COMMON, "--eval", 0, "--parallel", "single")
        _, devices, _ = self.trained(*COMMON, "--eval", 0, "--parallel", "dp", "--devices", 3)
        for expected, actual in zip(alone["losses"], devices["losses"]):
            self.assertAlmostEqual(expected, actual, delta=1e-3)

    def test_the_same_seed_gives_the_same_bits_again(self):
        again = [self.trained(*COMMON, "--eval", 0, "--parallel", "dp", "--devices", 3)[0] for _ in range(2)]
        self.assertEqual(*again)

    def test_one_device_alone_is_one_rank_without_its_communicator(self):
        rank, _, _ = self.trained(*COMMON, "--eval", 0)
        alone, result, out = self.trained(*COMMON, "--eval", 0, "--parallel", "single", NCCL_DEBUG="INFO")
        self.assertEqual(rank, alone)
        self.assertEqual(result["devices"], 1)
        self.assertIn("no communication", out)
        self.assertNotIn("NCCL INFO", out)

    def test_the_first_device_of_several_needs_the_most_memory(self):
        _, result, _ = self.trained(*COMMON, "--eval", 0, "--parallel", "dp", "--devices", 2)
        memory = result["memory"]
        self.assertEqual(memory["peak_bytes"], memory["peak_bytes_most"])
        self.assertLess(memory["peak_bytes_least"], memory["peak_bytes_most"])
        self.assertGreaterEqual(memory["peak_bytes_most"] - memory["peak_bytes_least"], memory["optimizer_state_bytes"])

    def test_a_tree_reduces_as_a_ring_does(self):
        ring, _, _ = self.trained(*COMMON, "--eval", 0, "--nproc", 3, "--algorithm", "ring")
        default, _, _ = self.trained(*COMMON, "--eval", 0, "--nproc", 3)
        self.assertEqual(ring, default)  # the CPU platform's choice
        tree, _, _ = self.trained(*COMMON, "--eval", 0, "--nproc", 3, "--algorithm", "tree")
        self.assertNotEqual(ring, tree)  # added up in another order
        self.assert_close(ring, tree)

    def test_what_contradicts_is_refused(self):
        self.assert_refused("cannot be divided among 5 devices", *COMMON, "--parallel", "dp", "--devices", 5)
        self.assert_refused("start it without a launcher", *COMMON, "--parallel", "single", RANK=0, WORLD_SIZE=2)
        self.assert_refused("give the number of devices", *COMMON, "--parallel", "dp")
        self.assert_refused("NCCL_ALGO is already \"ring\"", *COMMON, "--algorithm", "tree", NCCL_ALGO="ring")
        code, _, err = trainer.run(*COMMON, "--parallel", "dp", "--devices", 3, RINGSIDE_PLATFORM_DEVICES=2)
        self.assertEqual(code, 1)
        self.assertRegex(err, "--devices 3: this host has 2")


if __name__ == "__main__":
    unittest.main(verbosity=2)
