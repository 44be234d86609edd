# SPDX-License-Identifier: Apache-2.0
"""DDP under torch.compile, compiled while it is recorded, so that its compile workers run under the preload; to its last steps."""

import tempfile

import check_report
import gpu_lab

STEPS = 300

gpu_lab.need_torch()
with tempfile.TemporaryDirectory() as cache:
    job = ["env", f"TORCHINDUCTOR_CACHE_DIR={cache}", f"TRITON_CACHE_DIR={cache}", *gpu_lab.torch_job("compiled.py", "--steps", STEPS)]
    run, said = gpu_lab.record("compiled", ["--profile", "standard"], job)
check_report.check(run, STEPS)
files = [file.name for file in gpu_lab.process_files(run)]
print(f"{STEPS} steps, {next(line for line in said.splitlines() if 'backend' in line)}, traces of {len(files)} processes")
