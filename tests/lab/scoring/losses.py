# SPDX-License-Identifier: Apache-2.0
"""The recorder has no room: the job must not be affected, and the report must state what is missing.

The small file system is mounted in a mount namespace of its own, which goes with the recorder."""

import dataclasses
import json
import shutil

import lab
from scoring import training

STEPS, RANKS = 60, 2
TRAINED = training.FOLDER / "trained.f32"
# $1: size, $2: where to mount, $3: what is kept of it; then the command.
SMALL = 'mount -t tmpfs -o size="$1" none "$2" && at=$2 && kept=$3 && shift 3 && { "$@"; code=$?; [ -z "$kept" ] || cp -a "$at/." "$kept"; exit $code; }'


@dataclasses.dataclass(frozen=True)
class NoRoom:
    name: str
    size: str
    shared_memory: bool = False  # /dev/shm is small, else the run directory's disk
    loses: bool = True           # so small that the trace cannot be whole

    def missing(self):
        done = lab.run(["unshare", "-m", "sh", "-c", "mount -t tmpfs -o size=64k none /mnt"], expect=None)
        return None if done.returncode == 0 else "mounting in a namespace needs root"

    def judge(self, score):
        folder = training.FOLDER / self.name
        mounted, kept = folder / "disk", folder / "kept"
        for each in (mounted, kept):
            each.mkdir(parents=True)
        place = ("/dev/shm", "") if self.shared_memory else (mounted, kept)
        run = (kept if self.shared_memory else mounted) / "run.ringside"
        done = lab.run(["unshare", "-m", "sh", "-c", SMALL, "sh", self.size, *place, lab.RINGSIDE, "record", "-o", run, "--profile",
                        "standard", "--", *training_words(folder / "trained.f32")], expect=None, environment=environment())
        same = done.returncode == 0 and (folder / "trained.f32").read_bytes() == trained_alone()
        score.expect("job unharmed", same, f"{self.name}: exit code {done.returncode}, or other parameters\n{done.stderr[-1000:]}")
        self.judge_report(kept / "run.ringside", done.stderr, score)
        shutil.rmtree(folder)

    def judge_report(self, run, talk, score):
        done = lab.run([lab.RINGSIDE, "report", run, "--format", "json"], expect=None)
        report = json.loads(done.stdout) if done.returncode == 0 else None
        whole = report is not None and report["run"]["ranks_present"] == list(range(RANKS)) and report["coverage"]["steps"]["total"] == STEPS
        said = [each["id"] for each in report["issues"] if each["severity"] != "info"] if report else done.stderr
        if self.loses or not whole:
            score.expect("loss is said", bool(said), f"{self.name}: nothing says what was lost\n{talk[-1000:]}")
        if self.shared_memory and report:
            score.expect("shm_small", "shm_small" in [each["rule"] for each in report["findings"]], f"{self.name}: shm_small is missing")


def environment():
    return lab.emulated_gpu(lab.COMPUTING_MODEL)


def training_words(parameters):
    return lab.trainer_command(STEPS, ranks=RANKS, extra=("--eval", 0, "--dump-parameters", parameters))


def trained_alone():
    """The parameters of the same training without a recorder."""
    if not TRAINED.exists():
        lab.run(training_words(TRAINED), environment=environment())
    return TRAINED.read_bytes()
