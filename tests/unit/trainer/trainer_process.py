# SPDX-License-Identifier: Apache-2.0
"""Starting ddp_trainer on the CPU platform, for the scenarios beside this file."""

import os
import pathlib
import subprocess

BUILD = pathlib.Path(os.environ.get("RINGSIDE_BUILD_DIR", pathlib.Path(__file__).parents[3] / "build/dev")).resolve()
TRAINER = BUILD / "bin" / "ddp_trainer"
FOLDER = BUILD / "tests_trainer"
FOLDER.mkdir(parents=True, exist_ok=True)


def openblas_kernels():
    """OpenBLAS 0.3.21 takes kernels without AVX for processors newer than itself: half as fast as those that it has for AVX2."""
    offered = pathlib.Path("/proc/cpuinfo").read_text()
    return {"OPENBLAS_CORETYPE": "Haswell"} if " avx2 " in offered and " fma " in offered else {}


def environment(**extra):
    """Without the variables of any launcher around the test, and without a device model: as fast as it goes."""
    clean = {name: value for name, value in os.environ.items()
             if not name.startswith(("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_", "SLURM_", "OMPI_", "TORCHELASTIC_",
                                     "RINGSIDE_DEVICE"))}
    clean.update(LD_LIBRARY_PATH=str(BUILD / "lib" / "cpu_platform"), OPENBLAS_NUM_THREADS="1", LC_ALL="C.UTF-8",
                 **openblas_kernels())
    clean.update({name: str(value) for name, value in extra.items()})
    return clean


def start(*arguments, **variables):
    return subprocess.Popen([str(TRAINER), *map(str, arguments)], env=environment(**variables), text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def finish(process, timeout):
    """(exit code, stdout, stderr); a hang is a failure and leaves nothing behind."""
    try:
        out, err = process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        raise AssertionError(f"still running after {timeout} s: {process.args}")
    return process.returncode, out, err


def run(*arguments, timeout=120, **variables):
    return finish(start(*arguments, **variables), timeout)
