# SPDX-License-Identifier: Apache-2.0
"""A job that torchrun starts: the launcher leaves no trace, its worker one, down to the last steps."""

import check_report
import gpu_lab

STEPS = 200

gpu_lab.need_torch()
launcher = ("-m", "torch.distributed.run", "--nnodes", 1, "--nproc-per-node", 1, "--master-addr", "127.0.0.1", "--master-port",
            gpu_lab.free_port())
run, _ = gpu_lab.record("torchrun", ["--profile", "standard"], [*gpu_lab.PYTHON, *launcher, gpu_lab.JOBS / "ddp.py", "--steps", STEPS])
check_report.check(run, STEPS)
files = [file.name for file in gpu_lab.process_files(run)]
gpu_lab.expect(len(files) == 1, f"traces of {len(files)} processes, expected the worker's alone: {', '.join(files)}")
print(f"{STEPS} steps of torchrun's worker, no trace of the launcher")
