# SPDX-License-Identifier: Apache-2.0
"""How often a report is right: score.py [--short | --only NAME... | --draw SEED] [--busy] [--table FILE].

Runs every scenario of scenarios/, skips those that this machine cannot create, and compares the reports with the faults. Prints missed and
false findings, then recall and precision per rule, correct places, correct first causes, costs compared with the measured gain
without the fault, false alarms on healthy runs, and the error of replays of the unchanged runs. --busy runs the trainings
beside other work; what counts then is that no healthy run is called a problem, and nothing blamed with high confidence.
RINGSIDE_BUILD_DIR names the build."""

import argparse
import pathlib
import shutil
import signal
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))  # what scenarios share with the end-to-end tests
import drawn
import scenarios
from scoring import costs, scenario, tally, training


def chosen():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--short", action="store_true", help="fourteen scenarios, with --busy five")
    which.add_argument("--draw", type=int, metavar="SEED", help="the same kinds of faults, at strengths that this draws")
    which.add_argument("--only", nargs="+", metavar="NAME", help="these, by the beginning of their names")
    parser.add_argument("--busy", action="store_true", help="beside other work on the host, which disturbs all ranks")
    parser.add_argument("--table", type=pathlib.Path, help="write the table here as well")
    arguments = parser.parse_args()
    every = scenarios.matrix() if arguments.draw is None else list(drawn.scenarios(arguments.draw))
    if arguments.short:
        short = scenarios.SHORT_BUSY if arguments.busy else scenarios.SHORT
        every = [each for each in every if each.name in short]
    elif arguments.only:
        every = [each for each in every if each.name.startswith(tuple(arguments.only))]
    if arguments.busy:
        every = [each.on_a_busy_host(seed) for seed, each in enumerate(every) if isinstance(each, scenario.Scenario) and each.is_undisturbed]
    if not every:
        parser.error("no scenario has such a name")
    return every, arguments


def attempt(each, again, score):
    """Judges a scenario, and again if it came out wrong and may be repeated: the last one counts."""
    for left in range(again, -1, -1):
        alone = tally.Score(score.compares_costs)
        came = judge(each, alone)
        if not alone.remarks or left == 0:
            score.add(alone)
            return came
        print(f"{each.name} once more, because it was {came}", flush=True)


def judge(each, score):
    """In a word, what came of it."""
    why = each.missing()
    if why:
        score.skipped.append((each.name, why))
        return f"skipped, {why}"
    try:
        each.judge(score)
    except (AssertionError, OSError, RuntimeError, subprocess.SubprocessError) as error:  # the others count all the same
        score.fail(each.name, error)
    return "\n    ".join(["wrong", *score.remarks]) if score.remarks else "right"


def main():
    every, arguments = chosen()
    # Twelve scenarios are few for the shares that are wanted, and other work on the machine is no fault of the report's.
    again = 1 if arguments.short else 0
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # what was set up for a scenario is taken down
    shutil.rmtree(training.FOLDER, ignore_errors=True)
    training.FOLDER.mkdir(parents=True)
    score = tally.Score(compares_costs=not arguments.short)  # which takes five trainings more, or nine
    for number, each in enumerate(every, 1):
        print(f"{number}/{len(every)} {each.name}: {attempt(each, again, score)}", flush=True)
    if score.costs:
        print("", *costs.lines(score.costs), sep="\n")
    print("", *score.clock_lines(), "", score.table(), sep="\n")
    if arguments.table:
        arguments.table.write_text(score.table() + "\n")
    missed = score.serious_alarms() if arguments.busy else score.missed_targets()
    sys.exit("\n".join(missed) if missed else 0)


if __name__ == "__main__":
    main()
