# SPDX-License-Identifier: Apache-2.0
"""What is carried to a machine with a GPU: a trainer without GPU code is left out, and too much is refused. That it runs with the
carried libraries alone is seen in gpu_plan_test.py."""

import os
import shutil

import lab

SCRIPT = lab.ROOT / "tests" / "e2e" / "gpu" / "pack.sh"
LIMIT_BYTES = 64 << 20


class Pack(lab.Scenario):
    def build(self):
        """A build folder that can be changed."""
        build = self.folder / self._testMethodName
        for path in (lab.TRAINER, lab.RINGSIDE, lab.COLLECTOR):
            (build / path.parent.name).mkdir(parents=True, exist_ok=True)
            shutil.copy(path, build / path.parent.name)
        return build

    def test_a_trainer_without_gpu_code_is_left_out(self):
        build, pack = self.build(), self.folder / "without"
        lab.run(["objcopy", "--remove-section", ".nv_fatbin", build / "bin" / "ddp_trainer"])
        self.assertIn("no trainer is carried", lab.run([SCRIPT, build, pack]).stdout)
        self.assertEqual([path.name for path in (pack / "bin").iterdir()], ["ringside"])

    def test_one_that_is_too_large_is_refused_and_names_what_is(self):
        build, large = self.build(), self.folder / "large"
        large.write_bytes(os.urandom(1 << 20) * (LIMIT_BYTES >> 20))
        library = build / "lib" / lab.COLLECTOR.name
        lab.run(["objcopy", "--add-section", f"large={large}", "--set-section-flags", "large=alloc,readonly", library])
        said = lab.run([SCRIPT, build, self.folder / "too_large"], expect=1).stderr
        self.assertIn("at most 64 may be", said)
        self.assertIn(lab.COLLECTOR.name, said)


if __name__ == "__main__":
    lab.main()
