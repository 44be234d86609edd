# SPDX-License-Identifier: Apache-2.0
"""How far predictions are off: predictions.py [--draws N] [--first SEED] [--ranks N...] [--only FAULT...].

Trains with a fault and without it, asks `ringside whatif` of the first run what it would be without the fault, and holds that
against the second with `ringside diff --predicted`. Strengths and places are drawn. Prints each prediction, and by fault how many
were within 5 %; beside it, how many trainings without a fault repeat themselves within 5 %, because no prediction can be better.
RINGSIDE_BUILD_DIR names the build."""

import argparse
import collections
import dataclasses
import json
import pathlib
import random
import shutil
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))  # what scenarios share with the end-to-end tests
import lab
from scenarios import trainer
from scoring import training
from scoring.scenario import MANY_LAYERS, Scenario

WITHIN = 0.05
WANTED = 0.90  # of the predictions

# error: of the predicted step, against the one that was really run; None: `whatif` refused, and why.
Held = collections.namedtuple("Held", "fault scenario changes error bounded why")


@dataclasses.dataclass(frozen=True)
class Mended:
    """A training with a fault, and the change that takes it away."""

    fault: str
    scenario: Scenario
    changes: tuple


def mended(draw, ranks):
    """One of each fault that `ringside whatif` can take away."""
    place, ms = draw.randrange(ranks), draw.randint
    for cause in ("compute", "data", "host"):
        yield Mended(f"late_rank, {cause}", trainer.late(cause, ms(25, 90), place, ranks), ("--no-late-ranks",))
    yield Mended("slower clocks", trainer.throttled(round(draw.uniform(1.25, 1.8), 2), place, ranks), ("--no-late-ranks",))
    yield Mended("moving_straggler", trainer.moving_straggler(ms(60, 110), ranks), ("--equal-batches",))
    yield Mended("data_skew", trainer.data_skew(ms(90, 200), ranks), ("--equal-batches",))
    yield Mended("data_stall", trainer.data_stall(draw.choice((2, 3, 4)), ms(90, 180), ranks), ("--no-data-stalls",))
    yield Mended("small_buckets", trainer.small_buckets(draw.choice((0.02, 0.03, 0.05, 0.08)), ranks, MANY_LAYERS),
                 ("--bucket-bytes", "1.5MiB"))
    yield Mended("huge_buckets", trainer.huge_buckets(draw.choice((16, 24, 32)), ranks), ("--bucket-bytes", "1MiB"))
    yield Mended("host_sync", trainer.host_sync(draw.choice((32, 48, 64)), ranks), ("--no-blocking-calls",))
    yield Mended("unused parameters", trainer.unused_parameters(98, ranks, MANY_LAYERS), ("--no-unused-parameter-search",))
    parts = draw.choice((2, 4))
    yield Mended("sync_every_part", trainer.sync_every_part(parts, ranks), ("--last-reduction-of", parts))


def record(scenario, name):
    directory = training.FOLDER / f"{name}.ringside"
    with training.undisturbed(scenario):
        scenario.place.record(training.ranks_of(scenario, training.FOLDER / "result.json"), directory)
    return directory


def hold(each, faulty, healthy):
    told = lab.run([lab.RINGSIDE, "whatif", faulty, "--format", "json", *each.changes], expect=None)
    if told.returncode != 0:
        return Held(each.fault, each.scenario.name, each.changes, None, False, told.stderr.strip().splitlines()[0])
    prediction = training.FOLDER / "prediction.json"
    prediction.write_text(told.stdout)
    compared = lab.run([lab.RINGSIDE, "diff", faulty, healthy, "--predicted", prediction, "--format", "json"]).stdout
    held = json.loads(compared)["predictions"][0]
    return Held(each.fault, each.scenario.name, each.changes, held["error"], held["within_bounds"], None)


def repeated(first, again):
    """By how much the second of two equal trainings differs."""
    first_ns, again_ns = (json.loads(lab.run([lab.RINGSIDE, "whatif", run, "--format", "json"]).stdout)["measured_ns"] for run in (first, again))
    return again_ns / first_ns - 1


def trained(seed, ranks, only):
    """(what was held, by how much equal trainings differed). Faults whose training without them is the same share it."""
    held, noise, healthy = [], [], {}
    for each in mended(random.Random(f"{seed} {ranks}"), ranks):
        if only and not each.fault.startswith(tuple(only)):
            continue
        without = each.scenario.healthy
        if without not in healthy:
            healthy[without] = record(without, f"healthy_{len(healthy)}")
        faulty = record(each.scenario, "faulty")
        held.append(hold(each, faulty, healthy[without]))
        print(line(held[-1]), flush=True)
    for number, (without, first) in enumerate(healthy.items()):
        noise.append(repeated(first, record(without, "again")))
        print(f"healthy training {number} again: {noise[-1]:+.1%}", flush=True)
    return held, noise


def line(held):
    error = f"refused: {held.why}" if held.error is None else f"{held.error:+.1%}{'' if held.bounded else ', outside of its bounds'}"
    return f"{held.scenario:28} {' '.join(str(change) for change in held.changes):32} {error}"


def table(held):
    yield "| fault | predictions | within 5 % | within their bounds | largest error | refused |"
    yield "|---|---|---|---|---|---|"
    for fault in [*dict.fromkeys(each.fault for each in held), "all"]:
        of_it = [each for each in held if fault in (each.fault, "all")]
        told = [each for each in of_it if each.error is not None]
        largest = f"{max((each.error for each in told), key=abs):+.1%}" if told else "-"
        yield (f"| {fault} | {len(told)} | {sum(abs(each.error) <= WITHIN for each in told)} | {sum(each.bounded for each in told)} | {largest} | "
               f"{len(of_it) - len(told)} |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--first", type=int, default=1, metavar="SEED")
    parser.add_argument("--ranks", type=int, nargs="+", default=(2, 4))
    parser.add_argument("--only", nargs="+", metavar="FAULT")
    arguments = parser.parse_args()
    shutil.rmtree(training.FOLDER, ignore_errors=True)
    training.FOLDER.mkdir(parents=True)
    held, noise = [], []
    for seed in range(arguments.first, arguments.first + arguments.draws):
        for ranks in arguments.ranks:
            more, differences = trained(seed, ranks, arguments.only)
            held, noise = held + more, noise + differences
    told = [each for each in held if each.error is not None]
    right = sum(abs(each.error) <= WITHIN for each in told)
    print("", *table(held), "", f"Within 5 %: {right} of {len(told)} predictions. Equal trainings within 5 % of each other: "
          f"{sum(abs(each) <= WITHIN for each in noise)} of {len(noise)}.", sep="\n")
    sys.exit(right < WANTED * len(told))


if __name__ == "__main__":
    main()
