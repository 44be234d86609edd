# SPDX-License-Identifier: Apache-2.0
"""What `ringside whatif` predicts, beside what the trainer then really does.

The device model is a third as fast as the other scenarios', so that what the machine adds to a message is small beside
the message; half as fast is not slow enough beside other work. Runs are shared. Prints a table; run by itself it is the
measurement behind the figures that documents quote."""

import dataclasses
import json

import lab

SLOWER = 3
# Small buckets mean 48 messages a step, more than backward hides; 12 layers of twice the width train no slower with them.
MANY_LAYERS = ("--hidden", 128, "--layers", 48)
BATCH = 48              # of a rank
MOST_ERROR = 0.10       # of a prediction against the run that was so changed
MOST_HALF_ERROR = 0.05  # of one half of a run's steps, predicted from the other; of the run with 22


@dataclasses.dataclass
class Run:
    options: tuple = ()
    bucket_mib: float = 1.5
    ranks: int = lab.RANKS
    parts: int = 1      # batches that gradients add up over
    bandwidth: float = 1
    latency: float = 1
    steps: int = 10     # of which the first and the last do not count


RUNS = {
    "usual": Run(steps=22),
    "late": Run(("--fault", "late_rank:rank=2,ms=70")),
    "stalls": Run(("--fault", "data_stall:every=2,ms=150")),
    "small": Run(("--fault", "small_buckets:mb=0.05"), steps=8),
    "large": Run(bucket_mib=25),
    "exposed": Run(("--fault", "no_overlap"), steps=12),
    "exposed fp16": Run(("--fault", "no_overlap", "--gradients", "fp16")),
    "exposed, fast": Run(("--fault", "no_overlap"), bandwidth=3),
    "free links": Run(bandwidth=1000, latency=0),
    "two in one": Run(("--accumulate", 2, "--fault", "no_overlap"), parts=2, steps=6),
    "two ranks": Run(ranks=2),
}


class WhatIf(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.runs = {}
        cls.rows = []

    @classmethod
    def tearDownClass(cls):
        print(f"\n{'run':12} {'change':24} {'now':>7} {'predicted':>10} {'really':>14} {'':7} {'error':>7}")
        for row in cls.rows:
            print("{:12} {:24} {:7.1f} {:10.1f} {:>14} {:7.1f} {:+6.1f}%".format(*row), flush=True)

    @classmethod
    def device_model(cls, name):
        """lab's device model, everything in it SLOWER times as slow, and links as the run has them."""
        run, lines = RUNS[name], []
        factors = {"flops": 1 / SLOWER, "memory_bandwidth": 1 / SLOWER, "pcie_bandwidth": 1 / SLOWER,
                   "link_bandwidth": run.bandwidth / SLOWER, "link_latency_ns": run.latency * SLOWER}
        for line in lab.MODEL.read_text().splitlines():
            key, _, value = (part.strip() for part in line.partition("="))
            lines.append(f"{key} = {float(value) * factors[key]:g}" if key in factors else line)
        path = cls.folder / f"{name}.conf"
        path.write_text("\n".join(lines) + "\n")
        return path

    @classmethod
    def recorded(cls, name):
        if name not in cls.runs:
            run = RUNS[name]
            cls.runs[name] = cls.folder / f"{name}.ringside"
            with lab.ahead_of_others():  # what holds up one of ten steps for half a second makes a run longer by a tenth
                lab.record(cls.runs[name],
                           [lab.TRAINER, "--nproc", run.ranks, "--steps", run.steps, "--batch", BATCH * run.ranks * run.parts,
                            "--eval", 0, *MANY_LAYERS, "--bucket-cap-mb", run.bucket_mib, *run.options],
                           environment=lab.emulated_gpu(cls.device_model(name)))
        return cls.runs[name]

    @staticmethod
    def whatif(directory, *changes):
        return json.loads(lab.run([lab.RINGSIDE, "whatif", directory, "--format", "json", *changes]).stdout)

    def compare(self, name, changes, other):
        """A prediction from one run against what another, which was so changed, measured; times are a batch's."""
        really = self.whatif(self.recorded(other))["measured_ns"] / RUNS[other].parts
        told = self.whatif(self.recorded(name), *changes)
        error = told["predicted_ns"] / really - 1
        self.rows.append((name, " ".join(str(change) for change in changes), told["measured_ns"] / 1e6,
                          told["predicted_ns"] / 1e6, other, really / 1e6, 100 * error))
        self.assertLess(abs(error), MOST_ERROR, json.dumps(told, indent=1))
        self.assertTrue(told["emulated"])
        return told

    def test_one_half_of_the_steps_predicts_the_other(self):
        told = self.whatif(self.recorded("usual"))
        self.assertLess(abs(told["half_error"]), MOST_HALF_ERROR, json.dumps(told, indent=1))

    def test_without_the_late_rank(self):
        self.compare("late", ("--rank", "2=median"), "usual")

    def test_without_any_late_rank(self):
        self.compare("late", ("--no-late-ranks",), "usual")

    def test_without_data_stalls(self):
        self.compare("stalls", ("--no-data-stalls",), "usual")

    def test_with_larger_buckets(self):
        self.compare("small", ("--bucket-bytes", "1.5MiB"), "usual")

    def test_with_one_large_bucket(self):
        self.compare("usual", ("--bucket-bytes", "25MiB"), "large")

    def test_with_gradients_in_half_precision(self):
        self.compare("exposed", ("--gradients", "fp16"), "exposed fp16")

    def test_with_faster_links(self):
        self.compare("exposed", ("--bandwidth", "x3"), "exposed, fast")

    def test_with_everything_overlapped(self):
        self.compare("exposed", ("--full-overlap",), "free links")

    def test_with_gradients_of_two_batches_in_one(self):
        self.compare("exposed", ("--accumulate", 2), "two in one")

    def test_with_more_ranks(self):
        told = self.compare("two ranks", ("--ranks", lab.RANKS), "usual")
        self.assertEqual(told["confidence"], "low", "more ranks than were recorded are a guess")


if __name__ == "__main__":
    lab.main()
