# SPDX-License-Identifier: Apache-2.0
"""One run of a case: how it is started, and everything that can be seen of it afterwards."""

import dataclasses
import hashlib
import json
import os
import pathlib
import re
import shutil
import stat
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("RINGSIDE_BUILD_DIR", ROOT / "build" / "dev")).resolve()
RINGSIDE = BUILD / "bin" / "ringside"
COLLECTOR = BUILD / "lib" / "libringside_collector.so"
PROGRAMS = BUILD / "bin" / "tests" / "harm"
CALLS_CUDA = PROGRAMS / "libcalls_cuda.so"
INSIDE = pathlib.Path(__file__).with_name("inside.py")
PYTHON = "/usr/bin/python3"
NAMESPACES = ["unshare", *([] if os.geteuid() == 0 else ["--map-root-user"]), "--mount", "--pid", "--ipc", "--fork", "--mount-proc",
              "--kill-child"]
# docs/collector.md names these; a job sees them and nothing else that is new.
OURS = (b"RINGSIDE_", b"LD_PRELOAD=", b"NVTX_INJECTION64_PATH=", b"NCCL_PROFILER_PLUGIN=")


@dataclasses.dataclass
class Observation:
    """What a run looked like from outside. Two runs are the same when these are."""
    end: str
    stdout: bytes
    stderr: bytes
    files: dict
    left_running: list
    left_in_dev_shm: list
    left_in_system_v_memory: int
    most_memory_kib: int  # resident, of the largest process that was waited for
    talk: list = dataclasses.field(default_factory=list)  # of ours, which a plain run has none of


def differences(plain, recorded, mode="plain", memory_mib=64):
    """A line for each thing that is not the same; of memory, what is more than so much more."""
    found = []
    for field in dataclasses.fields(Observation):
        expected, seen = getattr(plain, field.name), getattr(recorded, field.name)
        if field.name in ("talk", "files", "most_memory_kib") or expected == seen or (field.name == "end" and _ends_alike(expected, seen, mode)):
            continue
        found.append(f"{field.name.replace('_', ' ')}: plain {_short(expected)}, recorded {_short(seen)}")
    if recorded.most_memory_kib > plain.most_memory_kib + 1024 * memory_mib:
        found.append(f"most memory: plain {plain.most_memory_kib} KiB, recorded {recorded.most_memory_kib} KiB")
    for path in sorted(plain.files.keys() | recorded.files.keys()):
        expected, seen = plain.files.get(path, "absent"), recorded.files.get(path, "absent")
        if expected != seen:
            found.append(f"file {path}: plain {expected}, recorded {seen}")
    return found


def _ends_alike(expected, seen, mode):
    """`record` may end as a shell does when its command was killed: with 128 and the signal."""
    killed = re.fullmatch(r"killed by signal (\d+)", expected)
    return mode == "record" and killed is not None and seen == f"exit code {128 + int(killed[1])}"


def _short(value):
    text = value.decode("utf-8", "backslashreplace") if isinstance(value, bytes) else str(value)
    return repr(text if len(text) <= 400 else text[:200] + " ... " + text[-200:])


def prefix(mode, run_directory, preloaded):
    """What stands before a case's command; `preloaded` is what the case preloads itself."""
    return {"plain": [],
            "record": [str(RINGSIDE), "record", "-o", str(run_directory), "--profile", "standard", "--"],
            "preload": ["env", f"RINGSIDE_DIR={run_directory}", f"LD_PRELOAD={':'.join(filter(None, (str(COLLECTOR), preloaded)))}"]}[mode]


def environment_of(case, job):
    preloaded = [str(CALLS_CUDA)] if case.cuda else []
    mine = {name: value.replace("$BUILD_FOLDER", str(BUILD)) for name, value in case.environment.items()}
    preloaded += [mine.pop("LD_PRELOAD")] if "LD_PRELOAD" in mine else []
    return {"PATH": f"{PROGRAMS}:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", "HOME": str(job / "home"), "TMPDIR": str(job / "tmp"),
            "LD_LIBRARY_PATH": str(BUILD / "lib" / "cpu_platform"), "LC_ALL": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1",
            "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "TRAINER": str(BUILD / "bin" / "ddp_trainer"), "PROGRAMS": str(PROGRAMS),
            "TESTS": str(ROOT / "tests"), "RINGSIDE": str(RINGSIDE), "RINGSIDE_DEVICE_MODEL": str(ROOT / "tests" / "harm" / "device_model.conf"),
            **({"LD_PRELOAD": ":".join(preloaded)} if preloaded else {}), **mine}


def observe(case, mode, folder, started_by=None):
    """Runs a case in FOLDER/job, which is made anew, so that a command sees the same paths in every mode; the run directory
    is FOLDER/run. `started_by` replaces what stands before the command, for tests of this file."""
    job, run_directory = folder / "job", folder / "run"
    for old in (job, run_directory):
        subprocess.run(["chmod", "-R", "u+rwx", str(old)], capture_output=True, check=False)
        shutil.rmtree(old, ignore_errors=True)
    for each in (job, job / "home", job / "tmp"):
        each.mkdir(parents=True)
    (folder / "stdin").write_text(case.stdin)
    environment = environment_of(case, job)
    before = prefix(mode, run_directory, environment.get("LD_PRELOAD")) if started_by is None else started_by
    order = {"command": ["bash", "-c", case.under, "bash", *before, *case.command], "folder": str(job),
             "environment": environment, "shm": case.shm, "limit_s": case.limit_s,
             "alone": mode == "preload", "recover": [str(RINGSIDE), "recover", str(run_directory)],
             **{name: str(folder / name) for name in ("stdin", "stdout", "stderr")}}
    (folder / "order.json").write_text(json.dumps(order))
    (folder / "answer.json").unlink(missing_ok=True)
    subprocess.run([*NAMESPACES, PYTHON, "-B", str(INSIDE), str(folder / "order.json"), str(folder / "answer.json")], check=True,
                   timeout=3 * case.limit_s + 30)
    answer = json.loads((folder / "answer.json").read_text())
    return Observation(end=_end(answer.pop("status")), stdout=_kept((folder / "stdout").read_bytes())[0],
                       **dict(zip(("stderr", "talk"), _kept((folder / "stderr").read_bytes()))), files=files_in(job), **answer)


def _kept(output):
    """(the job's own lines, ours): of stderr, those that begin with "ringside"; of a printed environment, the documented variables."""
    lines = output.split(b"\n")
    ours = [line for line in lines if line.startswith((b"ringside", *OURS)) or line.startswith((b"  Try: ringside", b"  Set the variables that `ringside env`"))]
    return b"\n".join(line for line in lines if line not in ours), [line.decode(errors="replace") for line in ours]


def _end(status):
    if isinstance(status, str):
        return status
    return f"exit code {status}" if status >= 0 else f"killed by signal {-status}"


def files_in(folder):
    """{path: kind, mode, content} of everything below a folder."""
    found = {}
    for path in sorted(folder.rglob("*")):
        mode = path.lstat().st_mode
        content = ""
        if stat.S_ISLNK(mode):
            content = f"-> {os.readlink(path)}"
        elif stat.S_ISREG(mode):
            content = f"{path.stat().st_size} bytes, {hashlib.sha256(path.read_bytes()).hexdigest()[:12]}"
        found[str(path.relative_to(folder))] = f"{stat.filemode(mode)} {content}".strip()
    return found


def recording_faults(case, folder):
    """What is wrong with what was recorded: a line each."""
    directory = folder / "run"
    files = sorted(directory.iterdir()) if directory.is_dir() else []
    traces = [each for each in files if each.suffix == ".db"]
    faults = [f"{each.name} in the run directory has mode {stat.S_IMODE(each.stat().st_mode):o}" for each in files
              if stat.S_ISREG(each.stat().st_mode) and each.stat().st_mode & 0o077]
    if files and stat.S_IMODE(directory.stat().st_mode) != 0o700:
        faults.append(f"the run directory has mode {stat.S_IMODE(directory.stat().st_mode):o}, not 700")
    if case.records and not traces:
        faults.append("nothing was recorded")
    if not case.records and traces:
        faults.append(f"recorded although nothing called CUDA: {', '.join(each.name for each in traces)}")
    if traces and case.readable:
        report = subprocess.run([str(RINGSIDE), "report", str(directory), "--format", "json"], capture_output=True, check=False,
                                stdin=subprocess.DEVNULL, timeout=60)
        if report.returncode != 0:
            faults.append(f"report ends with {report.returncode}: {report.stderr.decode(errors='replace').strip()}")
    if traces and case.answers:
        answer = subprocess.run([str(RINGSIDE), "query", str(directory), case.answers, "--format", "csv"], capture_output=True, check=False,
                                stdin=subprocess.DEVNULL, timeout=60)
        if answer.stdout.split()[-1:] != [b"1"]:
            faults.append(f"not so: {case.answers}: {(answer.stdout + answer.stderr).decode(errors='replace').strip()}")
    return faults
