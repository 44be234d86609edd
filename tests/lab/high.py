# SPDX-License-Identifier: Apache-2.0
"""How often "high" is right: high.py [--short] [--jobs N] [--seed N] [--only WORD] [--table FILE] [--keep | --again].

Runs small trainings with a fault or none, of drawn strength, place and model: alone, beside programs that want every processor half of the
time, and beside more programs than there are processors, which never rest. Prints for each kind and load how many verdicts were right, how
many were high, and how many of those were right. Fails where fewer than 99 of 100 are. RINGSIDE_BUILD_DIR names the build."""

import argparse
import dataclasses
import itertools
import json
import os
import pathlib
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))  # what scenarios share with the end-to-end tests
import drawn
import lab
from disturbances.load import BusyHost, FullHost
from scenarios import trainer
from scoring import costs, high, training
from scoring.scenario import BUSY, Scenario

STEPS = 20  # of which 18 are analyzed: enough for high confidence
CROWDED = 7  # programs a processor
LOADS = {"quiet": lambda seed: (), "half": lambda seed: (BusyHost(seed),), "full": lambda seed: (FullHost(CROWDED),)}

HEALTHY = {"healthy": (), "healthy adam": ("--optimizer", "adam"), "healthy parts": ("--accumulate", 2), "healthy bf16": ("--gradients", "bf16")}
FAULTS = {
    "late compute": lambda draw, ranks: trainer.late("compute", draw.ms(40, 120), draw.whole(0, ranks - 1), ranks),
    "late data": lambda draw, ranks: trainer.late("data", draw.ms(40, 120), draw.whole(0, ranks - 1), ranks),
    "late host": lambda draw, ranks: trainer.late("host", draw.ms(40, 120), draw.whole(0, ranks - 1), ranks),
    "throttled": lambda draw, ranks: trainer.throttled(draw.between(1.3, 2), draw.whole(0, ranks - 1), ranks),
    "data skew": lambda draw, ranks: trainer.data_skew(draw.ms(120, 300), draw.whole(3, 4)),
    "straggler moves": lambda draw, ranks: trainer.moving_straggler(draw.ms(60, 160), draw.whole(3, 4)),
    "data stall": lambda draw, ranks: trainer.data_stall(2, draw.ms(100, 300), ranks),
    "small buckets": lambda draw, ranks: trainer.small_buckets(draw.between(0.005, 0.03), ranks),
    "parts synchronised": lambda draw, ranks: trainer.sync_every_part(draw.choice((4, 8)), ranks, batch=48),
    "no overlap": lambda draw, ranks: trainer.no_overlap(draw.choice((24, 48)), ranks),
    "host waits": lambda draw, ranks: trainer.host_sync(draw.choice((24, 48)), ranks),
    "parameter server": lambda draw, ranks: trainer.parameter_server(draw.choice((24, 48)), draw.whole(3, 4)),
}
SHORT = (("healthy", "quiet"), ("late compute", "quiet"), ("data stall", "quiet"), ("late compute", "half"), ("healthy adam", "full"))


@dataclasses.dataclass(frozen=True)
class Job:
    name: str
    kind: str
    load: str
    scenario: Scenario

    @property
    def drawn(self):
        """What the jobs under all loads have in common."""
        return self.name.removesuffix(f"_{self.load}")


def drawn_round(seed):
    """{kind: Scenario}: each kind once, drawn."""
    draw = drawn.Draw(seed)
    ranks = draw.whole(2, 4)
    healthy = {name: Scenario("healthy", ranks=ranks, options=options, **draw.model()) for name, options in HEALTHY.items()}
    return healthy | {name: made(draw, ranks) for name, made in FAULTS.items()}


def jobs_of(seed):
    """Each kind alone and beside bursts, and every second one beside programs that never rest: those take longest."""
    for load, disturbed in LOADS.items():
        kinds = list(drawn_round(seed).items())
        for kind, scenario in kinds[seed % 2::2] if load == "full" else kinds:
            name = f"{seed}_{kind}_{load}".replace(" ", "_")
            allow = scenario.allow | (BUSY if load != "quiet" else frozenset())
            yield Job(name, kind, load, dataclasses.replace(scenario, name=name, steps=STEPS, disturbed=disturbed(seed), allow=allow))


def chosen(arguments):
    if arguments.short:
        return [job for job in jobs_of(arguments.seed) if (job.kind, job.load) in SHORT]
    every = itertools.chain.from_iterable(jobs_of(seed) for seed in itertools.count(arguments.seed))
    return [job for job in itertools.islice(every, arguments.jobs) if arguments.only in job.name]


class Twins:
    """What a fault costs: the same training alone, with it and without, once for each kind and seed. Faults of the trainer that cost less
    than two trainings differ by limit nothing, and whoever says so is right."""

    FILE = training.FOLDER / "gains.json"

    def __init__(self):
        self.shares = json.loads(self.FILE.read_text()) if self.FILE.exists() else {}

    def measure(self, job, trained):
        """The gain without the fault as a share of the step without; `trained`: the job's own training, alone."""
        self.shares[job.drawn] = trained.step_ns / training.train(job.scenario.healthy).step_ns - 1
        self.FILE.write_text(json.dumps(self.shares))

    def is_harmless(self, job):
        return not job.scenario.is_healthy and self.shares.get(job.drawn, 1) < costs.LEAST_GAIN


def judged(job, twins, arguments):
    """`arguments.again`: of the run that was kept."""
    if arguments.again:
        report = lab.report(training.FOLDER / f"{job.name}.ringside")
    else:
        trained = training.train(job.scenario, keep=arguments.keep)
        report = trained.report
        if job.load == "quiet" and not job.scenario.is_healthy:
            twins.measure(job, trained)
    verdict = high.judged(job, report, twins.is_harmless(job))
    print(f"{job.name}: {verdict.confidence}, {'right' if verdict.right else 'WRONG'}: {verdict.said}", flush=True)
    return verdict


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true", help="five jobs; one whose high verdict is wrong is made once more")
    parser.add_argument("--jobs", type=int, default=240)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", metavar="WORD", help="those of the jobs whose names contain this")
    parser.add_argument("--table", type=pathlib.Path, help="write the table here as well")
    parser.add_argument("--keep", action="store_true", help="leave the runs in BUILD/lab/score")
    parser.add_argument("--again", action="store_true", help="judge the runs that --keep left, without training")
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was started for a job is ended
    training.FOLDER.mkdir(parents=True, exist_ok=True)
    verdicts, failed, twins = [], [], Twins()
    for job in chosen(arguments):
        try:
            verdict = judged(job, twins, arguments)
            if arguments.short and verdict.high and not verdict.right:  # other work on the machine is no fault of the report's
                verdict = judged(job, twins, arguments)
            verdicts.append(verdict)
        except (AssertionError, OSError, subprocess.SubprocessError) as error:  # the others count all the same
            failed.append(f"{job.name} could not be run: {error}")
            print(failed[-1], flush=True)
    told = "\n".join([f"{len(verdicts)} jobs on {os.cpu_count()} processors.", "", high.table(verdicts), "",
                      *(f"- {each.job}: {each.said}" for each in verdicts if each.high and not each.right)])
    print(told)
    if arguments.table:
        arguments.table.write_text(told + "\n")
    sys.exit("\n".join(filter(None, [*failed, high.missed(verdicts)])) or 0)


if __name__ == "__main__":
    main()
