# SPDX-License-Identifier: Apache-2.0
"""The trainer's report on device memory: its use, and advice if it is exhausted."""

import json
import unittest

import trainer_process as trainer

SHAPE = ("--hidden", 512, "--layers", 4, "--eval", 0)
WIDE = (*SHAPE, "--steps", 2, "--warmup", 0)
USES = ("parameters", "gradients", "optimizer_state", "activations", "batches", "other")


def device_of(mebibytes):
    """A device model with so much memory."""
    path = trainer.FOLDER / f"memory_{mebibytes}.conf"
    path.write_text(f"memory_bytes = {mebibytes << 20}\n")
    return path


class Memory(unittest.TestCase):
    def memory(self, *arguments):
        path = trainer.FOLDER / "memory.json"
        code, out, err = trainer.run(*arguments, "--json", path)
        self.assertEqual(code, 0, out + err)
        self.assertRegex(out, r"memory +peak \d+\.\d\d MiB .* allocates: parameters \d")
        result = json.loads(path.read_text())
        return result["memory"], 4 * result["parameters"]

    def test_every_use_is_counted(self):
        memory, parameter_bytes = self.memory(*WIDE, "--batch", 64)
        self.assertEqual(memory["parameters_bytes"], parameter_bytes)
        self.assertEqual(memory["gradients_bytes"], parameter_bytes)
        self.assertEqual(memory["optimizer_state_bytes"], parameter_bytes)  # one velocity each
        self.assertEqual(memory["batches_bytes"], 3 * 64 * (28 * 28 + 1) * 4)
        # Nothing is freed before the end, so that the largest of each use is there at the same time.
        self.assertEqual(memory["peak_bytes"], sum(memory[f"{use}_bytes"] for use in USES))
        adam, _ = self.memory(*WIDE, "--batch", 64, "--optimizer", "adam")
        self.assertEqual(adam["optimizer_state_bytes"], 2 * parameter_bytes)

    def test_the_extremes_are_those_of_all_ranks(self):
        alone, _ = self.memory(*WIDE, "--batch", 32)
        shared, _ = self.memory(*WIDE, "--batch", 64, "--nproc", 2)
        self.assertEqual((shared["peak_bytes_least"], shared["peak_bytes_most"]), (alone["peak_bytes"],) * 2)
        grown, _ = self.memory(*WIDE, "--batch", 64, "--nproc", 2, "--fault", "memory_growth:mb=4")
        self.assertEqual(grown["peak_bytes"], alone["peak_bytes"] + 2 * (4 << 20))
        self.assertEqual(grown["other_bytes"], alone["other_bytes"] + 2 * (4 << 20))

    def test_accumulation_needs_less_for_activations(self):
        whole, _ = self.memory(*WIDE, "--batch", 64)
        parts, parameter_bytes = self.memory(*WIDE, "--batch", 64, "--accumulate", 4)
        # Not exactly a quarter: the partial sums of a bias gradient's columns grow less than the batch.
        self.assertAlmostEqual(whole["activations_bytes"] / parts["activations_bytes"], 4, delta=0.2)
        self.assertEqual(parts["gradients_bytes"], 2 * parameter_bytes)  # a step's sums

    def test_too_little_memory_is_explained_on_the_rank_that_has_it(self):
        code, out, err = trainer.run(*WIDE, "--batch", 4096, "--nproc", 2, RINGSIDE_DEVICE_MODEL=device_of(32))
        self.assertEqual(code, 1, out + err)
        self.assertRegex(err, r"rank \d: device \d is out of memory: \d+\.\d MiB more were requested \(activations\), "
                              r"\d+\.\d of 32\.0 MiB are free; the trainer uses \d+\.\d MiB \(parameters \d+\.\d, gradients ")
        self.assertRegex(err, "Give a smaller --batch, .*--accumulate")

    def test_what_the_explanation_advises_helps(self):
        short = {"RINGSIDE_DEVICE_MODEL": device_of(32)}
        for advice in (("--batch", 256), ("--batch", 1024, "--accumulate", 8)):
            with self.subTest(advice):
                code, out, err = trainer.run(*WIDE, *advice, **short)
                self.assertEqual(code, 0, out + err)
        code, _, err = trainer.run(*WIDE, "--batch", 1024, **short)
        self.assertEqual(code, 1, err)

    def test_recomputed_activations_need_less_and_change_no_bit(self):
        small = ((1,), (2,), (3,), (2, "--accumulate", 2), (2, "--nproc", 2))
        for model, extras in ((("--model", "mlp", "--layers", 7), small), (("--model", "convnet"), small),
                              (("--model", "transformer"), ((15,),))):
            common = (*model, "--eval", 0, "--steps", 4, "--warmup", 0, "--batch", 48, "--dump-parameters")
            for extra in extras:
                with self.subTest(model=model, extra=extra):
                    path = trainer.FOLDER / "recomputed"
                    arguments = (*common, path, *extra[1:])
                    plain, _ = self.memory(*arguments)
                    expected = path.read_bytes()
                    less, _ = self.memory(*arguments, "--checkpoint-activations", extra[0])
                    self.assertEqual(path.read_bytes(), expected)
                    if "convnet" not in model:  # where one segment has nearly all activations
                        self.assertLess(less["activations_bytes"], plain["activations_bytes"])
                    self.assertEqual(plain["peak_bytes"] - less["peak_bytes"],
                                     plain["activations_bytes"] - less["activations_bytes"])

    def test_recomputing_nothing_is_refused(self):
        code, _, err = trainer.run(*WIDE, "--batch", 16, "--checkpoint-activations", 5)
        self.assertEqual(code, 1, err)
        self.assertIn("the model has 5 layers", err)

    def test_cutting_a_residual_connection_is_refused(self):
        code, _, err = trainer.run("--model", "transformer", "--batch", 16, "--checkpoint-activations", 4)
        self.assertEqual(code, 1, err)
        self.assertIn("can be cut after each 15, 19", err)

    def test_memory_that_grows_ends_with_the_same_words(self):
        code, _, err = trainer.run(*SHAPE, "--batch", 16, "--steps", 100, "--fault", "memory_growth:mb=8",
                                   RINGSIDE_DEVICE_MODEL=device_of(64))
        self.assertEqual(code, 1, err)
        self.assertRegex(err, r"8\.0 MiB more were requested \(other\)")


if __name__ == "__main__":
    unittest.main(verbosity=2)
