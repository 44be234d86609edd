# SPDX-License-Identifier: Apache-2.0
"""What the trainer learns: the same with any number of ranks, any bucket size and any fault."""

import array
import json
import re
import statistics
import unittest

import trainer_process as trainer

SMALL = ("--hidden", 96, "--layers", 3, "--eval", 0)


class Training(unittest.TestCase):
    def parameters(self, name, *arguments):
        path = trainer.FOLDER / f"{name}.parameters"
        code, out, err = trainer.run(*arguments, "--dump-parameters", path)
        self.assertEqual(code, 0, out + err)
        values = array.array("f")
        values.frombytes(path.read_bytes())
        return values

    def accuracy(self, *arguments):
        path = trainer.FOLDER / "learned.json"
        code, out, err = trainer.run(*arguments, "--json", path)
        self.assertEqual(code, 0, out + err)
        return json.loads(path.read_text())["accuracy"]

    def assert_same(self, expected, actual):
        self.assertEqual(len(expected), len(actual))
        difference = max(abs(a - b) for a, b in zip(expected, actual))
        self.assertLess(difference, 2e-4)

    def test_ranks_with_a_share_of_the_batch_equal_one_rank_with_the_batch(self):
        one = self.parameters("one", *SMALL, "--steps", 20, "--batch", 64)
        untrained = self.parameters("untrained", *SMALL, "--steps", 1, "--batch", 64)
        self.assertGreater(max(abs(a - b) for a, b in zip(one, untrained)), 1e-2, "nothing was learned")
        for ranks in (2, 4):
            self.assert_same(one, self.parameters(f"of_{ranks}", *SMALL, "--steps", 20, "--batch", 64, "--nproc", ranks))

    def test_a_batch_in_parts_equals_the_batch(self):
        common = (*SMALL, "--steps", 12, "--batch", 48, "--bucket-cap-mb", 0.05)
        whole = self.parameters("whole", *common)
        for parts, ranks in ((2, 1), (4, 2), (3, 4)):
            for overlap in ((), ("--fault", "no_overlap")):
                self.assert_same(whole, self.parameters("parts", *common, "--accumulate", parts, "--nproc", ranks, *overlap))
        code, _, err = trainer.run(*common, "--accumulate", 5, "--nproc", 2)
        self.assertEqual(code, 2, err)
        self.assertIn("give a multiple of 10", err)

    def test_that_holds_for_odd_shapes_too(self):
        # Nothing divides: not the tensors by the ranks, nor the samples by the batch (an epoch ends within 20 steps).
        odd = ("--hidden", 37, "--layers", 2, "--eval", 0, "--steps", 20, "--batch", 45, "--samples", 301,
               "--bucket-cap-mb", 0.003)
        one = self.parameters("odd_one", *odd)
        for ranks in (3, 5):
            self.assert_same(one, self.parameters(f"odd_{ranks}", *odd, "--nproc", ranks))

    def test_that_holds_for_the_other_models_too(self):
        for model in ("convnet", "transformer", "widemlp"):
            common = ("--model", model, "--eval", 0, "--steps", 10, "--batch", 60)
            one = self.parameters(f"{model}_one", *common)
            for ranks in (2, 3):
                with self.subTest(model=model, ranks=ranks):
                    self.assert_same(one, self.parameters(f"{model}_{ranks}", *common, "--nproc", ranks))

    def test_that_holds_for_adam_on_the_whole(self):
        # Adam divides a gradient by its own size: one that is only a rounding error moves its weight as far as any other. So
        # single weights may differ, but not many: on the average by much less than the weights have moved.
        common = ("--model", "convnet", "--optimizer", "adam", "--eval", 0, "--batch", 60)
        one = self.parameters("adam_one", *common, "--steps", 10)
        start = self.parameters("adam_start", *common, "--steps", 1)
        moved = statistics.fmean(abs(a - b) for a, b in zip(one, start))
        for ranks in (2, 3):
            several = self.parameters(f"adam_{ranks}", *common, "--steps", 10, "--nproc", ranks)
            self.assertLess(statistics.fmean(abs(a - b) for a, b in zip(one, several)), moved / 100)

    def test_the_same_seed_gives_the_same_bits_again(self):
        for model in ("mlp", "convnet", "transformer"):
            again = [self.parameters(f"again_{k}", "--model", model, "--eval", 0, "--steps", 5, "--batch", 24, "--nproc", 3)
                     for k in range(2)]
            self.assertEqual(*again)

    def test_skipped_arithmetic_gives_no_loss_and_no_accuracy(self):
        model = trainer.FOLDER / "skip.conf"
        model.write_text("flops = 1e12\ncompute = skip\n")
        path = trainer.FOLDER / "skip.json"
        code, out, err = trainer.run("--nproc", 2, "--hidden", 32, "--steps", 3, "--json", path, RINGSIDE_DEVICE_MODEL=model)
        self.assertEqual(code, 0, out + err)
        self.assertRegex(out, "loss +not measured: .*compute = skip")
        self.assertNotIn("accuracy", out)
        result = json.loads(path.read_text())
        for figure in ("losses", "accuracy"):
            self.assertIsNone(result[figure])
            self.assertIn("compute = skip", result["not_measured"][figure])

    def test_steps_that_are_all_warm_up_give_no_times(self):
        path = trainer.FOLDER / "short.json"
        for steps, measured in ((1, False), (5, False), (6, True)):
            with self.subTest(steps=steps):
                code, out, err = trainer.run("--hidden", 32, "--layers", 1, "--batch", 8, "--steps", steps, "--json", path)
                self.assertEqual(code, 0, out + err)
                result = json.loads(path.read_text())
                if measured:
                    self.assertRegex(out, r"samples/s +[0-9]+, an epoch of 16384 in [0-9.]+ s\n")
                    self.assertRegex(out, "over 1 step\n")
                    self.assertGreater(result["step_ms"]["p50"], 0)
                    self.assertNotIn("step_ms", result["not_measured"])
                else:
                    self.assertRegex(out, f"samples/s +not measured: .*{steps} .*warm-up")
                    self.assertRegex(out, "step time +not measured: .*warm-up")
                    self.assertIsNone(result["step_ms"])
                    self.assertIsNone(result["samples_per_s"])
                    self.assertIn("warm-up", result["not_measured"]["step_ms"])
                self.assertIsNotNone(result["losses"])

    def test_the_device_is_named(self):
        path = trainer.FOLDER / "device.json"
        code, out, err = trainer.run("--hidden", 32, "--steps", 1, "--eval", 0, "--json", path)
        self.assertEqual(code, 0, out + err)
        self.assertRegex(out, "device +.*emulated")
        result = json.loads(path.read_text())
        self.assertIn("emulated", result["device"])
        self.assertEqual((result["model"], result["optimizer"]), ("mlp", "sgd"))
        self.assertIn("--eval 0", result["not_measured"]["accuracy"])

    def test_faults_change_the_time_and_not_the_result(self):
        common = (*SMALL, "--steps", 8, "--batch", 32, "--nproc", 2)
        clean = self.parameters("clean", *common)
        for fault in ("small_buckets:mb=0.03", "no_overlap", "host_sync", "data_stall:every=4,ms=5",
                      "late_rank:rank=1,ms=3", "late_rank:rank=0,ms=3,by=data", "late_rank:rank=0,ms=3,by=host",
                      "moving_straggler:ms=3", "data_skew:ms=3", "allocation_churn", "memory_growth",
                      "checkpoint_stall:every=4,ms=5", "parameter_server"):
            with self.subTest(fault):
                self.assert_same(clean, self.parameters("faulty", *common, "--fault", fault))

    def test_how_batches_are_loaded_changes_no_bit(self):
        # An epoch ends within the 8 steps: every worker shuffles by itself.
        common = (*SMALL, "--steps", 8, "--batch", 32, "--samples", 100, "--nproc", 2)
        usual = self.parameters("usual", *common)
        for loading in (("--workers", 0), ("--workers", 3), ("--no-pin-memory",), ("--workers", 5, "--no-pin-memory"),
                        ("--workers", 4, "--fault", "data_stall:every=3,ms=20"), ("--workers", 0, "--fault", "data_stall:every=3,ms=5")):
            with self.subTest(loading):
                self.assertEqual(usual, self.parameters("loading", *common, *loading))

    def test_the_map_of_used_parameters_changes_no_bit(self):
        common = (*SMALL, "--steps", 8, "--batch", 32, "--nproc", 2, "--bucket-cap-mb", 0.05)
        without = self.parameters("without", *common)
        for search in (("--find-unused-parameters",), ("--static-graph",), ("--find-unused-parameters", "--static-graph"),
                       ("--static-graph", "--fault", "no_overlap")):
            with self.subTest(search):
                self.assertEqual(without, self.parameters("with", *common, *search))

    def test_the_scaled_rate_begins_with_the_given_one(self):
        usual = (*SMALL, "--batch", 512, "--samples", 1024)
        for steps, same in ((1, True), (12, False)):
            given, scaled = (self.parameters("rate", *usual, "--steps", steps, *more) for more in ((), ("--scale-lr",)))
            self.assertEqual(given == scaled, same, steps)

    def test_gradients_that_travel_with_every_part_are_the_same(self):
        common = (*SMALL, "--steps", 8, "--batch", 32, "--nproc", 2, "--accumulate", 2)
        self.assert_same(self.parameters("once", *common),
                         self.parameters("every", *common, "--fault", "sync_every_part"))

    def test_digits_it_has_not_seen_are_told_apart(self):
        path = trainer.FOLDER / "accuracy.json"
        code, out, err = trainer.run("--nproc", 2, "--steps", 200, "--json", path)
        self.assertEqual(code, 0, out + err)
        result = json.loads(path.read_text())
        self.assertGreater(result["accuracy"], 0.9)
        self.assertLess(result["losses"][-1], result["losses"][0] / 3)
        self.assertEqual(sum(result["bucket_bytes"]), 4 * result["parameters"])
        self.assertRegex(out, r"accuracy +9\d\.\d %")
        self.assertTrue(re.search(r"p50 [0-9.]+ ms, p90 [0-9.]+ ms, p99", out), out)

    def test_gradients_in_half_precision_are_rounded_and_still_learn(self):
        common = (*SMALL, "--steps", 8, "--batch", 32, "--nproc", 2)
        single = self.parameters("single", *common)
        # A half has 11 bits, a bfloat16 8: of eight updates of some 1e-2 each is off by 5e-4 or 4e-3 of itself.
        for form, bound in (("fp16", 1e-3), ("bf16", 8e-3)):
            with self.subTest(form):
                half = self.parameters("half", *common, "--gradients", form)
                self.assertNotEqual(single, half)
                self.assertLess(max(abs(a - b) for a, b in zip(single, half)), bound)
                self.assertGreater(self.accuracy("--nproc", 2, "--steps", 200, "--gradients", form), 0.9)

    def test_all_gradients_as_largest_ones_are_all_gradients(self):
        for extra in ((), ("--bucket-cap-mb", 0.03), ("--accumulate", 2), ("--fault", "no_overlap")):
            with self.subTest(extra):
                common = (*SMALL, "--steps", 8, "--batch", 36, "--nproc", 3, *extra)
                self.assert_same(self.parameters("dense", *common), self.parameters("topk", *common, "--gradients", "topk:1"))

    def test_the_largest_gradients_learn_too_since_the_others_follow(self):
        common = (*SMALL, "--steps", 8, "--batch", 32, "--nproc", 2)
        self.assertNotEqual(self.parameters("single", *common), self.parameters("topk", *common, "--gradients", "topk:0.05"))
        self.assertGreater(self.accuracy("--nproc", 4, "--steps", 200, "--gradients", "topk:0.05"), 0.9)

    def test_the_largest_gradients_have_no_all_reduce_to_replace(self):
        code, _, err = trainer.run("--nproc", 2, "--gradients", "topk:0.1", "--fault", "parameter_server")
        self.assertEqual(code, 2, err)
        self.assertIn("no all-reduces that a --fault could replace", err)

    def test_the_convnet_with_adam_learns_them_with_any_number_of_ranks(self):
        for ranks in (2, 4):
            with self.subTest(ranks=ranks):
                path = trainer.FOLDER / "convnet.json"
                code, out, err = trainer.run("--model", "convnet", "--optimizer", "adam", "--nproc", ranks, "--steps", 80,
                                             "--json", path)
                self.assertEqual(code, 0, out + err)
                self.assertGreater(json.loads(path.read_text())["accuracy"], 0.95)
                self.assertRegex(out, r"accuracy +9[5-9]\.\d %|accuracy +100")

    def test_the_wide_mlp_and_the_transformer_learn_them(self):
        for model, least, more in (("widemlp", 0.9, ("--steps", 100)),
                                   ("transformer", 0.85, ("--optimizer", "adam", "--steps", 160, "--batch", 64))):
            with self.subTest(model):
                path = trainer.FOLDER / f"{model}.json"
                code, out, err = trainer.run("--model", model, "--nproc", 2, "--json", path, *more)
                self.assertEqual(code, 0, out + err)
                self.assertGreater(json.loads(path.read_text())["accuracy"], least)

    def test_small_buckets_are_many(self):
        sizes = {}
        for name, fault in (("normal", ()), ("small", ("--fault", "small_buckets:mb=0.03"))):
            path = trainer.FOLDER / f"{name}.json"
            code, out, err = trainer.run(*SMALL, "--steps", 2, "--batch", 8, "--json", path, *fault)
            self.assertEqual(code, 0, out + err)
            sizes[name] = json.loads(path.read_text())["bucket_bytes"]
        self.assertEqual(len(sizes["normal"]), 1)
        self.assertGreaterEqual(len(sizes["small"]), 3)

    def test_huge_buckets_are_a_small_one_and_the_rest(self):
        path = trainer.FOLDER / "huge.json"
        code, out, err = trainer.run("--hidden", 512, "--layers", 4, "--bucket-cap-mb", 1, "--steps", 2, "--batch", 8, "--json", path,
                                     "--fault", "huge_buckets")
        self.assertEqual(code, 0, out + err)
        first, rest = json.loads(path.read_text())["bucket_bytes"]
        self.assertGreater(rest, 2 * first)

    def test_a_late_rank_holds_everybody_up(self):
        path = trainer.FOLDER / "late.json"
        code, out, err = trainer.run(*SMALL, "--steps", 12, "--batch", 8, "--nproc", 2, "--json", path,
                                     "--fault", "late_rank:rank=1,ms=40,by=data")
        self.assertEqual(code, 0, out + err)
        # Each step waits for its data and they come one by one, 40 ms apart; the first of the 7 measured may be there already,
        # and jitter moves time from one step to the next, so the bound is on their mean: 6/7 of 40 ms. Unfaulted it is 2 ms.
        mean_ms = 8 * 1e3 / json.loads(path.read_text())["samples_per_s"]
        self.assertGreater(mean_ms, 34)


if __name__ == "__main__":
    unittest.main(verbosity=2)
