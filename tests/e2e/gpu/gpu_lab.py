# SPDX-License-Identifier: Apache-2.0
"""What the scenarios share: the carried programs, the environment of a job, recording, and looking at a run. The caller's
LD_LIBRARY_PATH is kept in every environment: on some machines the driver is found through nothing else. Standard library only."""

import glob
import importlib.util
import json
import os
import pathlib
import socket
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
JOBS = HERE / "jobs"
BUNDLE = pathlib.Path(os.environ["RINGSIDE_GPU_BUNDLE"])
WORK = pathlib.Path(os.environ["RINGSIDE_GPU_WORK"])
CARRIED = str(BUNDLE / "lib" / "carried")
KEPT = os.environ.get("LD_LIBRARY_PATH", "")
SKIPPED = 77


def skip(reason):
    print(f"skipped: {reason}", flush=True)
    sys.exit(SKIPPED)


def fail(reason):
    sys.exit(f"failed: {reason}")


def expect(condition, reason):
    if not condition:
        fail(reason)


def path_list(*folders):
    return ":".join(folder for folder in folders if folder)


def cuda_folders():
    """Of the toolkit, and of the CUDA libraries that come as Python packages: nvidia/cu13/lib, nvidia/nccl/lib and others."""
    toolkit = [path for path in ("/usr/local/cuda/lib64", "/usr/local/cuda/extras/CUPTI/lib64") if os.path.isdir(path)]
    found = importlib.util.find_spec("nvidia")
    roots = list(found.submodule_search_locations) if found else []
    return toolkit + sorted(path for root in roots for path in glob.glob(f"{root}/*/lib"))


# A job's words before its own: `ringside` runs with the carried libraries, a PyTorch job with what the caller had.
PYTHON = ["env", f"LD_LIBRARY_PATH={KEPT}", sys.executable, "-B"] if KEPT else ["env", "-u", "LD_LIBRARY_PATH", sys.executable, "-B"]
TRAINER = ["env", f"LD_LIBRARY_PATH={path_list(KEPT, *cuda_folders(), CARRIED)}", BUNDLE / "bin" / "ddp_trainer"]


def trainer(steps, *options):
    """The command of the reference trainer on one GPU."""
    if not (BUNDLE / "bin" / "ddp_trainer").exists():
        skip("the bundle holds no ddp_trainer")
    return [*TRAINER, "--nproc", 1, "--steps", steps, *options]


def need_torch():
    if importlib.util.find_spec("torch") is None:
        skip("no torch")
    asked = subprocess.run([*PYTHON, "-c", "import torch; raise SystemExit(not torch.cuda.is_available())"], check=False)
    if asked.returncode != 0:
        skip("torch sees no GPU")


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def torch_job(script, *options):
    """The command of a job of jobs/, as a launcher starts one rank."""
    launcher = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "RANK": 0, "WORLD_SIZE": 1, "LOCAL_RANK": 0}
    return ["env", *(f"{name}={value}" for name, value in launcher.items()), *PYTHON, JOBS / script, *options]


def run(command, check=True, **options):
    """Runs a command and prints what it said; returns it with its output as text."""
    words = [str(word) for word in command]
    print("+", *words, flush=True)
    done = subprocess.run(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False, **options)
    print(done.stdout, end="", flush=True)
    if check:
        expect(done.returncode == 0, f"code {done.returncode} from: {' '.join(words[:12])}")
    return done


def ringside_command(*words, before=()):
    """`before`: words to start it by, such as without_cupti.sh."""
    return [*before, "env", f"LD_LIBRARY_PATH={path_list(CARRIED, KEPT)}", BUNDLE / "bin" / "ringside", *words]


def ringside(*words, check=True, before=()):
    return run(ringside_command(*words, before=before), check)


def record(name, options, command, check=True, before=()):
    """Records a command; returns the run directory, and what the command printed."""
    directory = WORK / f"{name}.ringside"
    return directory, ringside("record", "-o", directory, *options, "--", *command, check=check, before=before).stdout


def need_job(job, limit_s=120):
    """Skips where a job does not run on this machine without us either; returns what it printed."""
    bare = run(["timeout", limit_s, *job], check=False)
    if bare.returncode != 0:
        words = [line.strip() for line in bare.stdout.splitlines() if line.strip()] or [f"code {bare.returncode}"]
        said = [line for line in words if "NCCL WARN" in line or "Error" in line]
        skip(f"the job does not run here, unrecorded too: {(said or words)[-1]}")
    return bare.stdout


def query(directory, sql):
    words = ringside_command("query", directory, sql, "--format", "json")
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False)
    expect(done.returncode == 0, f"query of {directory.name}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def process_files(directory):
    return sorted(directory.glob("*.db"))


def tiers(directory):
    """{tier: (active, reason)} of a run of one process; printed, too."""
    rows = [row for file in process_files(directory) for row in query(file, "SELECT tier, active, reason FROM tier")]
    for row in rows:
        print(f"{directory.name}: tier {row['tier']}: {'active' if row['active'] else 'not active'} {row['reason'] or ''}".rstrip())
    return {row["tier"]: (bool(row["active"]), row["reason"] or "") for row in rows}


def report(directory):
    """The report as text is printed, as JSON returned and kept beside the run."""
    ringside("report", directory)
    words = [str(word) for word in ringside_command("report", directory, "--format", "json")]
    text = subprocess.run(words, text=True, capture_output=True, check=False).stdout
    directory.with_suffix(".json").write_text(text)
    return json.loads(text)


def job_result(output):
    """The line of JSON that a job of jobs/ prints at its end."""
    lines = [line for line in output.splitlines() if line.startswith('{"')]
    expect(lines, "the job printed no result")
    return json.loads(lines[-1])
