# SPDX-License-Identifier: Apache-2.0
"""What is carried to a machine with a GPU: its programs run with the carried libraries, and it stays below its limit."""

import os
import shutil
import subprocess
import unittest

import lab

SCRIPT = lab.ROOT / "tests" / "e2e" / "gpu" / "bundle.sh"
LIMIT_BYTES = 64 << 20


def holds_gpu_code(program):
    return ".nv_fatbin" in subprocess.run(["readelf", "-SW", program], capture_output=True, text=True, check=True).stdout


class Bundle(lab.Scenario):
    @unittest.skipIf(holds_gpu_code(lab.TRAINER), "the trainer was built by nvcc")
    def test_a_trainer_without_gpu_code_is_refused(self):
        self.assertIn("holds no GPU code", lab.run([SCRIPT, lab.BUILD, self.folder / "none"], expect=1).stderr)

    @unittest.skipUnless(holds_gpu_code(lab.TRAINER), "the trainer was not built by nvcc")
    def test_it_is_small_and_runs_with_what_it_carries(self):
        bundle = self.folder / "bundle"
        lab.run([SCRIPT, lab.BUILD, bundle])
        self.assertLess(sum(path.stat().st_size for path in bundle.rglob("*") if path.is_file()), LIMIT_BYTES)
        carried = bundle / "lib" / "carried"
        environment = {**os.environ, "LD_LIBRARY_PATH": str(carried)}
        found = lab.run(["ldd", bundle / "bin" / "ringside"], environment=environment).stdout
        elsewhere = [line.split()[0] for line in found.splitlines() if " => " in line and str(carried) not in line]
        self.assertEqual(sorted(name.split(".")[0] for name in elsewhere), ["libc", "libm"])
        directory = self.folder / "run.ringside"
        job = ["env", f"LD_LIBRARY_PATH={lab.BUILD}/lib/cpu_platform:{carried}", bundle / "bin" / "ddp_trainer", "--nproc", 1, "--steps", 5]
        lab.run([bundle / "bin" / "ringside", "record", "-o", directory, "--", *job], environment=environment)
        self.assertIn("5 steps found", lab.run([bundle / "bin" / "ringside", "report", directory], environment=environment).stdout)

    @unittest.skipUnless(holds_gpu_code(lab.TRAINER), "the trainer was not built by nvcc")
    def test_one_that_is_too_large_is_refused_and_names_what_is(self):
        build = self.folder / "build"
        for folder in ("bin", "lib"):
            (build / folder).mkdir(parents=True)
        shutil.copy(lab.TRAINER, build / "bin")
        shutil.copy(lab.COLLECTOR, build / "lib")
        large = self.folder / "large"
        large.write_bytes(os.urandom(1 << 20) * (LIMIT_BYTES >> 20))
        lab.run(["objcopy", "--add-section", f"large={large}", lab.RINGSIDE, build / "bin" / "ringside"])
        said = lab.run([SCRIPT, build, self.folder / "too_large"], expect=1).stderr
        self.assertIn("at most 64 may be", said)
        self.assertIn("bin/ringside", said)


if __name__ == "__main__":
    lab.main()
