# SPDX-License-Identifier: Apache-2.0
"""The GPU libraries of this machine against what the collector knows: versions, functions, sizes of CUPTI's records."""

import json
import re

import gpu_lab

COLLECTOR = gpu_lab.HERE.parents[2] / "collector"
NEEDED = ("cudart", "cupti", "nccl")
# Bytes up to the last field that the collector reads (abi/cupti.h).
READ_BYTES = {"kernel": 160, "copy": 72, "set": 64}


def table(path, pattern):
    return set(re.findall(pattern, (COLLECTOR / path).read_text(), re.MULTILINE))


def forms(name):
    return re.sub(r"(_ptsz|_ptds|_v\d+)+$", "", name.removeprefix("__"))


def complaints(told):
    libraries = told["libraries"]
    for name, found in libraries.items():
        if "missing" in found:
            print(f"{name}: {found['missing']}")
            if name in NEEDED:
                yield f"{name}: {found['missing']}"
        else:
            print(f"{name}: version {found['version']}, {len(found['exports'])} functions, {found['path']}")
    known = table("api/nccl_api.def", r"^RS_API\(\w+, (\w+),") | table("api/nccl_ignored.txt", r"^(nccl\w+)")
    strangers = [name for name in libraries["nccl"].get("exports", []) if re.match("nccl[A-Z]", name) and name not in known]
    if strangers:
        yield f"NCCL has functions that are in no table: {', '.join(strangers)}"
    text = (COLLECTOR / "abi" / "cupti.h").read_text()
    always = text[text.index("define RINGSIDE_CUPTI_FUNCTIONS"):text.index("Functions that older")]
    needed = re.findall(r"RS_CUPTI\(\w+, (cupti\w+),", always)
    lacking = sorted(set(needed) - set(libraries["cupti"].get("exports", [])))
    if lacking:
        yield f"CUPTI lacks {', '.join(lacking)}"
    print(f"records of CUPTI: {told['record_bytes']}")
    for kind, bytes_ in READ_BYTES.items():
        if told["record_bytes"].get(kind, bytes_) < bytes_:
            yield f"CUPTI's record of a {kind} has {told['record_bytes'][kind]} bytes, the collector reads {bytes_}"


wrapped = {forms(name) for name in table("api/cuda_runtime_api.def", r"^RS_API\(\w+, (\w+),")}
environment = gpu_lab.path_list(gpu_lab.KEPT, *gpu_lab.cuda_folders())
python = gpu_lab.PYTHON if "no_torch" not in gpu_lab.FACTS else ["env", f"LD_LIBRARY_PATH={environment}", *gpu_lab.PYTHON[-2:]]
told = json.loads(gpu_lab.run([*python, gpu_lab.JOBS / "abi.py"]).stdout.splitlines()[-1])
(gpu_lab.WORK / "abi.json").write_text(json.dumps(told))
present = {forms(name) for name in told["libraries"]["cudart"].get("exports", [])}
print(f"functions of the CUDA runtime that are wrapped and not there: {', '.join(sorted(wrapped - present)) or 'none'}")
found = list(complaints(told))
gpu_lab.expect(not found, "; ".join(found))
print(", ".join(f"{name} {each['version']}" for name, each in told["libraries"].items() if each.get("version")) +
      f"; records of {told['record_bytes'] or 'no CUPTI'}")
