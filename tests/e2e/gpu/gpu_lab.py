# SPDX-License-Identifier: Apache-2.0
"""What the checks share: the carried programs, the environment of a job, recording, and looking at a run. The caller's
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
PACK = pathlib.Path(os.environ["RINGSIDE_GPU_PACK"])
WORK = pathlib.Path(os.environ["RINGSIDE_GPU_WORK"])
CARRIED = str(PACK / "lib" / "carried")
KEPT = os.environ.get("LD_LIBRARY_PATH", "")
NOT_REACHED = 77
FACTS = json.loads(os.environ.get("RINGSIDE_GPU_FACTS", "{}"))
SECONDS = float(os.environ.get("RINGSIDE_GPU_SECONDS", 60))  # what this check is given
BARE_LIMIT_S = 40


def not_reached(reason):
    print(reason, flush=True)
    sys.exit(NOT_REACHED)


def fail(reason):
    sys.exit(reason)


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
TRAINER = ["env", f"LD_LIBRARY_PATH={path_list(KEPT, *cuda_folders(), CARRIED)}", PACK / "bin" / "ddp_trainer"]


def trainer(steps, *options):
    """The command of the reference trainer on one GPU."""
    if not (PACK / "bin" / "ddp_trainer").exists():
        not_reached("the pack holds no ddp_trainer")
    return [*TRAINER, "--nproc", 1, "--steps", steps, *options]


def need_torch():
    """By what the check `facts` found: PyTorch takes seconds to be imported."""
    if "no_torch" in FACTS:
        not_reached(FACTS["no_torch"])


def free_port():
    with socket.socket() as asked:
        asked.bind(("127.0.0.1", 0))
        return asked.getsockname()[1]


def torch_job(script, *options):
    """The command of a job of jobs/, as a launcher starts one rank."""
    launcher = {"MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port(), "RANK": 0, "WORLD_SIZE": 1, "LOCAL_RANK": 0}
    return ["env", *(f"{name}={value}" for name, value in launcher.items()), *PYTHON, JOBS / script, *options]


def run(command, check=True):
    """Runs a command and prints what it says as it comes; returns it with its output as text."""
    words = [str(word) for word in command]
    print("+", *words, flush=True)
    with subprocess.Popen(words, text=True, errors="replace", stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        said = []
        for line in process.stdout:
            print(line, end="", flush=True)
            said.append(line)
    if check:
        expect(process.returncode == 0, f"code {process.returncode} from: {' '.join(words[:12])}")
    return subprocess.CompletedProcess(words, process.returncode, "".join(said))


def ringside_command(*words, before=()):
    """`before`: words to start it by, such as without_cupti.sh."""
    return [*before, "env", f"LD_LIBRARY_PATH={path_list(CARRIED, KEPT)}", PACK / "bin" / "ringside", *words]


def ringside(*words, check=True, before=()):
    return run(ringside_command(*words, before=before), check)


def record(name, options, command, before=()):
    """Records a command; returns the run directory, and what the command printed. Where it fails, says whether it does so
    unrecorded too."""
    directory = WORK / f"{name}.ringside"
    done = ringside("record", "-o", directory, *options, "--", *command, check=False, before=before)
    if done.returncode != 0:
        explain(done.returncode, [*before, *command])
    return directory, done.stdout


def explain(code, job):
    """Ends the check: what does not run without us either was not reached, but a job that hangs differs."""
    bare = run(["timeout", BARE_LIMIT_S, *job], check=False)
    expect(bare.returncode != 124, f"code {code} when recorded, and unrecorded the job does not end within {BARE_LIMIT_S} s")
    expect(bare.returncode != 0, f"code {code} when recorded, 0 when not")
    words = [line.strip() for line in bare.stdout.splitlines() if line.strip()] or [f"code {bare.returncode}"]
    said = [line for line in words if "NCCL WARN" in line or "Error" in line]
    not_reached(f"the job does not run here, unrecorded too: {(said or words)[-1]}")


def query(directory, sql):
    words = ringside_command("query", directory, sql, "--format", "json")
    done = subprocess.run([str(word) for word in words], text=True, capture_output=True, check=False)
    expect(done.returncode == 0, f"query of {directory.name}: {done.stderr.strip()}")
    return json.loads(done.stdout)


def one(directory, sql):
    """The only row."""
    row = query(directory, sql)[0]
    print(row, flush=True)
    return row


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


def killed_job(name, command, mark):
    """Records a job that does not end by itself; once it has printed `mark`, returns (run directory, process of `ringside record`)."""
    directory = WORK / f"{name}.ringside"
    words = [str(word) for word in ringside_command("record", "-o", directory, "--profile", "standard", "--", *command)]
    print("+", *words, flush=True)
    process = subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    for line in process.stdout:
        print(line, end="", flush=True)
        if mark in line:
            return directory, process
    return fail(f"the job ended by itself with code {process.wait()}")


def job_result(output):
    """The line of JSON that a job of jobs/ prints at its end."""
    lines = [line for line in output.splitlines() if line.startswith('{"')]
    expect(lines, "the job printed no result")
    return json.loads(lines[-1])
