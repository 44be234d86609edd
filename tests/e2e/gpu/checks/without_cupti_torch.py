# SPDX-License-Identifier: Apache-2.0
"""PyTorch with a libcupti that has no functions: the job goes on, and the reason is recorded."""

import gpu_lab

gpu_lab.need_torch()
switch = (gpu_lab.HERE / "without_cupti.sh", "--loadable")
if gpu_lab.run([switch[0], "true"], check=False).returncode == gpu_lab.NOT_REACHED:
    gpu_lab.not_reached("this machine allows no mount namespace")
run, _ = gpu_lab.record("without_cupti_pytorch", ["--profile", "standard"], gpu_lab.torch_job("ddp.py"), before=switch)
device = gpu_lab.tiers(run)["device"]
gpu_lab.report(run)
gpu_lab.expect(not device[0] and device[1], f"the device tier, expected inactive for a reason: {device}")
print(f"no device tier: {device[1]}")
