# SPDX-License-Identifier: Apache-2.0
"""What machine this is: device, driver, versions, libraries that PyTorch loads, and what doctor says of it."""

import json
import os
import pathlib
import subprocess

import gpu_lab

LIMIT_S, TORCH_LIMIT_S = 10, 60  # the first import of PyTorch on a machine reads gigabytes
FILES = {"cpu.txt": "/proc/cpuinfo", "memory.txt": "/proc/meminfo", "limits.txt": "/proc/self/limits", "mounts.txt": "/proc/mounts"}
TORCH = """import json, torch
seen = torch.cuda.is_available()
found = {"torch": torch.__version__, "cuda": torch.version.cuda, "seen": seen}
if seen:
    torch.ones(1, device="cuda")
    found.update(device=torch.cuda.get_device_name(0), nccl=torch.cuda.nccl.version())
found["libraries"] = sorted({line.split()[-1] for line in open("/proc/self/maps") if ".so" in line})
print(json.dumps(found))"""


def said(name, *words, limit_s=LIMIT_S):
    """Output of a command, kept in a file; a machine need not have it."""
    try:
        done = subprocess.run([str(word) for word in words], text=True, capture_output=True, timeout=limit_s, check=False)
        text = done.stderr + done.stdout
    except (OSError, subprocess.TimeoutExpired) as error:
        text = f"{error}\n"
    (gpu_lab.WORK / name).write_text(text)
    return text


said("nvidia-smi.txt", "nvidia-smi", "-q")
listed = said("gpus.txt", "nvidia-smi", "-L").splitlines()
facts = {"device": listed[0] if listed else "nvidia-smi names none"}
asked = (said("torch.txt", *gpu_lab.PYTHON, "-c", TORCH, limit_s=TORCH_LIMIT_S).splitlines() or ["it said nothing"])[-1]
torch = json.loads(asked) if asked.startswith("{") else {}
if "ModuleNotFoundError" in asked:
    facts["no_torch"] = f"no PyTorch: {asked}"
elif torch and not torch["seen"]:
    facts["no_torch"] = f"PyTorch {torch['torch']} sees no GPU"
(gpu_lab.WORK / "facts.json").write_text(json.dumps(facts))
for name, path in FILES.items():
    (gpu_lab.WORK / name).write_text(pathlib.Path(path).read_text())
said("shared_memory.txt", "df", "/dev/shm", os.environ.get("OUT", "."))
said("kernel.txt", "uname", "-a")
said("libc.txt", "ldd", "--version")
said("nccl_environment.txt", "sh", "-c", "env | grep -E '^(NCCL|TORCH|CUDA|NVIDIA)_' | sort")
print(*listed, sep="\n")
gpu_lab.ringside("version")
gpu_lab.ringside("doctor", check=False)
gpu_lab.expect(torch or "no_torch" in facts, f"PyTorch: {asked}")
print(facts["device"] + "; " + (facts.get("no_torch") or f"torch {torch['torch']}, CUDA {torch['cuda']}, NCCL {torch['nccl']}"))
