#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""check_coverage.py nccl|cuda API_DIR SOURCE...: every function of the sources is a row of the table in API_DIR, or stands in the list of
ignored ones with a reason. A source is a shared library (its exports), a header, or a list (.txt, a name first on each line). A new
NCCL or CUDA with a new function fails here and names it."""
import pathlib
import re
import subprocess
import sys

# What of a runtime's exports is ours to decide on: what launches, copies, sets, allocates, frees, waits or captures. NCCL: everything.
SCOPES = {
    "nccl": ("nccl_api.def", "nccl_ignored.txt", r"nccl[A-Z]\w*"),
    "cuda": ("cuda_runtime_api.def", "cuda_ignored.txt",
             r"(__)?cuda(Launch\w*|Memcpy\w*|Memset\w*|MemPrefetchAsync\w*|Malloc\w*|Free\w*|\w*Synchronize|Host(Alloc|Register|Unregister)"
             r"|Graph\w*Launch|Graph(Instantiate|Upload|ExecUpdate)\w*|(Event|Stream)Query|(Stream|Thread)\w*Captur\w*)(_v\d)?(_pt(sz|ds))?"),
}


def names_in(source: pathlib.Path) -> set[str]:
    if source.suffix == ".txt":
        return {line.split()[0] for line in source.read_text().splitlines() if line.strip() and not line.startswith("#")}
    if source.suffix == ".h":
        text = re.sub(r"/\*.*?\*/|//[^\n]*", "", source.read_text(), flags=re.S)
        return set(re.findall(r"\b(\w+)\s*\(", text))
    exports = subprocess.run(["nm", "-D", "--defined-only", source], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in exports.splitlines()}


def main() -> int:
    scope, api, *sources = sys.argv[1:]
    table_name, ignored_name, pattern = SCOPES[scope]
    table = set(re.findall(r"^RS_API\(\w+, (\w+),", (pathlib.Path(api) / table_name).read_text(), flags=re.M))
    ignored = {}
    for line in (pathlib.Path(api) / ignored_name).read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, _, reason = line.partition(" ")
            ignored[name] = reason.strip()
    wrong = [f"{name} is in {ignored_name} without a reason" for name, reason in ignored.items() if not reason]
    wrong += [f"{name} is both in {table_name} and in {ignored_name}" for name in sorted(table & set(ignored))]
    seen = 0
    for source in sources:
        names = sorted(name for name in names_in(pathlib.Path(source)) if re.fullmatch(pattern, name))
        seen += len(names)
        for name in names:
            forms = {name, re.sub(r"_pt(sz|ds)$", "", name), re.sub(r"(_v\d)?(_pt(sz|ds))?$", "", name)}
            if name not in table and not forms & set(ignored):
                wrong.append(f"{name} is in {source}, but neither in {table_name} nor, with a reason, in {ignored_name}")
    if seen == 0:
        wrong.append(f"no function of {scope} in {' '.join(sources)}: nothing was checked")
    print("\n".join(wrong) or f"{seen} functions of {scope} are known")
    return 1 if wrong else 0


sys.exit(main())
