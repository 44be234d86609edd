# SPDX-License-Identifier: Apache-2.0
"""What `ringside whatif` predicts, beside what the trainer then really does.

The device model is a third as fast as the other scenarios', so that what the machine adds to a message is small beside
the message; half as fast is not slow enough beside other work. Runs are shared. Prints a table; run by itself it is the
measurement behind the figures that documents quote."""

import json

import lab

STEPS = 22  # of which the first and the last do not count
SLOWER = 3
# Small buckets mean 48 messages a step, more than backward hides; 12 layers of twice the width train no slower with them.
MANY_LAYERS = ("--hidden", 128, "--layers", 48)
MOST_ERROR = 0.10       # of a prediction against the run that was so changed
MOST_HALF_ERROR = 0.05  # of one half of a run's steps, predicted from the other


def slower_model(folder):
    """lab's device model, everything in it SLOWER times as slow."""
    lines = []
    for line in lab.MODEL.read_text().splitlines():
        key, _, value = (part.strip() for part in line.partition("="))
        if key in ("flops", "memory_bandwidth", "pcie_bandwidth", "link_bandwidth"):
            line = f"{key} = {float(value) / SLOWER:g}"
        elif key == "link_latency_ns":
            line = f"{key} = {float(value) * SLOWER:g}"
        lines.append(line)
    path = folder / "slower.conf"
    path.write_text("\n".join(lines) + "\n")
    return path


class WhatIf(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.environment = lab.emulated_gpu(slower_model(cls.folder))
        cls.runs = {}
        cls.rows = []

    @classmethod
    def tearDownClass(cls):
        print(f"\n{'run':18} {'change':34} {'now':>8} {'predicted':>10} {'really':>8} {'error':>7} {'half':>7}")
        for row in cls.rows:
            print("{:18} {:34} {:8.1f} {:10.1f} {:8.1f} {:+6.1f}% {:+6.1f}%".format(*row), flush=True)

    @classmethod
    def recorded(cls, name, *extra):
        if name not in cls.runs:
            directory = cls.folder / f"{name}.ringside"
            command = [lab.TRAINER, "--nproc", lab.RANKS, "--steps", STEPS, "--eval", 0, *MANY_LAYERS,
                       *(extra if "--bucket-cap-mb" in extra else ("--bucket-cap-mb", 1.5, *extra))]
            lab.record(directory, command, environment=cls.environment)
            cls.runs[name] = directory
        return cls.runs[name]

    @staticmethod
    def whatif(directory, *changes):
        return json.loads(lab.run([lab.RINGSIDE, "whatif", directory, "--format", "json", *changes]).stdout)

    def compare(self, name, extra, changes, other, other_extra):
        """A prediction from one run against what another, which was so changed, measured."""
        run = self.recorded(name, *extra)
        really = self.whatif(self.recorded(other, *other_extra))["measured_ns"]
        told = self.whatif(run, *changes)
        error = told["predicted_ns"] / really - 1
        self.rows.append((name, " ".join(str(change) for change in changes), told["measured_ns"] / 1e6,
                          told["predicted_ns"] / 1e6, really / 1e6, 100 * error, 100 * told["half_error"]))
        self.assertLess(abs(error), MOST_ERROR, json.dumps(told, indent=1))
        self.assertLess(abs(told["half_error"]), MOST_HALF_ERROR, json.dumps(told, indent=1))
        self.assertTrue(told["emulated"])

    def test_without_the_late_rank(self):
        self.compare("late", ("--fault", "late_rank:rank=2,ms=90"), ("--rank", "2=median"), "usual", ())

    def test_without_data_stalls(self):
        self.compare("stalls", ("--fault", "data_stall:every=3,ms=300"), ("--no-data-stalls",), "usual", ())

    def test_with_larger_buckets(self):
        self.compare("small", ("--fault", "small_buckets:mb=0.05"), ("--bucket-bytes", "1.5MiB"), "usual", ())

    def test_with_one_large_bucket(self):
        self.compare("usual", (), ("--bucket-bytes", "25MiB"), "large", ("--bucket-cap-mb", 25))

    def test_with_gradients_in_half_precision(self):
        self.compare("exposed", ("--fault", "no_overlap"), ("--gradients", "fp16"), "exposed_fp16",
                     ("--fault", "no_overlap", "--gradients", "fp16"))


if __name__ == "__main__":
    lab.main()
