# SPDX-License-Identifier: Apache-2.0
"""What the scenarios with other people's programs share: finding and building them, running and recording them on the CPU platform."""

import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
import lab  # noqa: E402

LIBRARIES = lab.BUILD / "lib" / "third_party"
PLATFORM = lab.BUILD / "lib" / "cpu_platform"
SKIPPED = 77


def sources(variable):
    """The checkout that an environment variable names; without one the test is skipped."""
    folder = os.environ.get(variable)
    tools = [tool for tool in ("make", "mpirun", "mpicxx") if shutil.which(tool) is None]
    if folder is None or tools:
        print(f"skipped: {variable} names no checkout" if folder is None else f"skipped: {', '.join(tools)} not installed")
        sys.exit(SKIPPED)
    return pathlib.Path(folder).resolve()


def cuda_home(folder):
    """A CUDA installation as makefiles expect one: the toolkit's headers and compiler, the emulated libraries."""
    nvcc = pathlib.Path(shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc").resolve()
    home = folder / "cuda"
    home.mkdir(parents=True, exist_ok=True)
    links = {"bin": nvcc.parent, "include": nvcc.parents[1] / "include", "lib64": PLATFORM, "lib": PLATFORM}
    for name, target in links.items():
        if not (home / name).is_symlink():
            (home / name).symlink_to(target)
    return home


def make(directory, *variables):
    done = subprocess.run(["make", "-j2", "-C", directory, *map(str, variables)], text=True, capture_output=True)
    if done.returncode != 0:
        raise AssertionError(f"make in {directory} failed\n{done.stdout[-2000:]}\n{done.stderr[-4000:]}")


def environment(model=None, **more):
    """Without a model work takes as long as it takes here."""
    variables = {**os.environ, "LD_LIBRARY_PATH": f"{LIBRARIES}:{PLATFORM}", "LC_ALL": "C.UTF-8",
                 "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", **more}
    return {**variables, "RINGSIDE_DEVICE_MODEL": str(model)} if model else variables


def on(processes, command):
    return ["mpirun", "--oversubscribe", "-np", processes, *command] if processes > 1 else command


def query(run, sql):
    return json.loads(lab.run([lab.RINGSIDE, "query", run, sql, "--format", "json"]).stdout)
