# SPDX-License-Identifier: Apache-2.0
"""How often a report is right: score.py [--short | --only NAME...] [--table FILE].

Trains every scenario of scenarios.py on the CPU platform (emulated) under `ringside record`, reads `ringside report`, and
compares findings with what was done. Prints what was missed and what was claimed wrongly, then recall and precision a rule,
right places, right first causes, and costs against the gain that leaving the fault out really brings. Runs lie in
BUILD/lab/score; RINGSIDE_BUILD_DIR says which build."""

import argparse
import collections
import json
import pathlib
import shlex
import shutil
import socket
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "e2e"))
import lab
import scenarios

FOLDER = lab.BUILD / "lab" / "score"
CLAIMS = ("warning", "problem")
# What the lab must reach; below it, the exit code is 1.
LEAST = {"recall": 0.95, "precision": 0.95, "right place": 0.98, "first cause right": 0.9}
COST_WITHIN = 0.15


def device_model(scenario, rank):
    """The e2e tests' model with faster links, so that even the last message of a healthy run is short; and with a clock that a
    throttled rank's device does not reach."""
    factor = scenario.throttled[1] if scenario.throttled and scenario.throttled[0] == rank else 1
    path = FOLDER / f"device_{factor}.conf"
    lines = [line for line in lab.MODEL.read_text().splitlines() if not line.startswith("link_")]
    lines += ["link_bandwidth = 8e8", "link_latency_ns = 200000", "sm_clock_mhz = 1410", f"throttle = 0, 100000, {factor}"]
    path.write_text("\n".join(lines) + "\n")
    return path


def launch(scenario, options):
    """A shell's words that start every rank with a device of its own."""
    environment = {"WORLD_SIZE": scenario.ranks, "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": free_port()}
    command = shlex.join(str(word) for word in (lab.TRAINER, *options))
    starts = [" ".join([*(f"{name}={value}" for name, value in {**environment, "RANK": rank, "LOCAL_RANK": rank}.items()),
                        f"RINGSIDE_DEVICE_MODEL={shlex.quote(str(device_model(scenario, rank)))}", command, "&", "pids+=($!)"])
              for rank in range(scenario.ranks)]
    return ["bash", "-c", "\n".join(["pids=()", *starts, 'for pid in "${pids[@]}"; do wait "$pid" || exit 1; done'])]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def train(scenario):
    """The report of a recorded run, and its mean step in ns as the trainer itself measured it."""
    directory, result = FOLDER / f"{scenario.name or 'base'}.ringside", FOLDER / f"{scenario.name or 'base'}.json"
    options = ["--steps", scenario.steps, "--batch", scenario.batch * scenario.ranks, "--eval", 0, "--json", result,
               *scenario.shape, *scenario.options]
    for fault in scenario.faults:
        options += ["--fault", fault]
    lab.record(directory, launch(scenario, options))
    report = lab.report(directory)
    samples_a_second = json.loads(result.read_text())["samples_per_s"]
    shutil.rmtree(directory)
    return report, scenario.batch * scenario.ranks / samples_a_second * 1e9


class Score:
    def __init__(self):
        self.found = collections.Counter()    # by rule: expected and there
        self.expected = collections.Counter()
        self.false = collections.Counter()    # claimed, and not true
        self.places = []                      # right or not, of the expected that were found
        self.first = []
        self.costs = []                       # (scenario, rule, estimated, measured)
        self.remarks = []
        self.bases = {}

    def base_step_ns(self, scenario):
        """Mean step of the same training without the fault; measured once."""
        healthy = scenario.healthy
        if healthy not in self.bases:
            self.bases[healthy] = train(healthy)[1]
        return self.bases[healthy]

    def judge(self, scenario):
        report, step_ns = train(scenario)
        claims = [each for each in report["findings"] if each["severity"] in CLAIMS]
        listed = {each["rule"]: each for each in reversed(report["findings"])}
        for rule in scenario.expect:
            self.expected[rule] += 1
            if rule in listed:
                self.found[rule] += 1
            else:
                self.remarks.append(f"{scenario.name}: {rule} is missing; there are {sorted(listed)}")
        for rule in {each["rule"] for each in claims} - set(scenario.expect) - scenario.allow - scenarios.SYMPTOMS:
            self.false[rule] += 1
            self.remarks.append(f"{scenario.name}: {rule} is not true: {listed[rule]['title']}")
        if scenario.expect and scenario.expect[0] in listed:
            self.judge_finding(scenario, listed[scenario.expect[0]], report["findings"], step_ns)

    def judge_finding(self, scenario, finding, findings, step_ns):
        if scenario.where:
            right = sorted(finding["ranks"]) == sorted(scenario.where)
            self.places.append(right)
            if not right:
                self.remarks.append(f"{scenario.name}: {finding['rule']} names ranks {finding['ranks']}, not {list(scenario.where)}")
        if scenario.leads:
            causes = [each["rule"] for each in findings if each["kind"] == "cause"]
            self.first.append(causes[0] == finding["rule"])
            if not self.first[-1]:
                self.remarks.append(f"{scenario.name}: {causes[0]} is listed before {finding['rule']}")
        if scenario.cost and finding["cost_ns_per_step"] is not None:
            gain = step_ns - self.base_step_ns(scenario)
            self.costs.append((scenario.name, finding["rule"], finding["cost_ns_per_step"], gain))

    def table(self):
        lines = ["| rule | expected | found | recall | false | precision |", "|---|---|---|---|---|---|"]
        for rule in sorted(set(self.expected) | set(self.false)):
            lines.append(f"| {rule} | {self.expected[rule]} | {self.found[rule]} | {share(self.found[rule], self.expected[rule])} "
                         f"| {self.false[rule]} | {share(self.found[rule], self.found[rule] + self.false[rule])} |")
        found, false = sum(self.found.values()), sum(self.false.values())
        lines.append(f"| all | {sum(self.expected.values())} | {found} | {share(found, sum(self.expected.values()))} "
                     f"| {false} | {share(found, found + false)} |")
        within = [abs(estimated - gain) <= COST_WITHIN * gain for _, _, estimated, gain in self.costs]
        lines += ["", f"Right place: {share(sum(self.places), len(self.places))} of {len(self.places)}. "
                      f"First cause right: {share(sum(self.first), len(self.first))} of {len(self.first)}. "
                      f"Cost within {COST_WITHIN:.0%} of the measured gain: {share(sum(within), len(within))} of {len(within)}."]
        return "\n".join(lines)

    def missed_targets(self):
        found = sum(self.found.values())
        reached = {"recall": (found, sum(self.expected.values())), "precision": (found, found + sum(self.false.values())),
                   "right place": (sum(self.places), len(self.places)), "first cause right": (sum(self.first), len(self.first))}
        return [f"{name}: {share(part, whole)}, wanted {LEAST[name]}" for name, (part, whole) in reached.items()
                if whole and part / whole < LEAST[name]]

    def cost_lines(self):
        yield f"{'scenario':32} {'rule':26} {'cost ms':>8} {'gain ms':>8} {'error':>7}"
        for name, rule, estimated, gain in self.costs:
            error = f"{(estimated - gain) / gain:+.0%}" if gain > 0 else "no gain"
            yield f"{name:32} {rule:26} {estimated / 1e6:8.1f} {gain / 1e6:8.1f} {error:>7}"


def share(part, whole):
    return f"{part / whole:.2f}" if whole else "-"


def chosen():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--short", action="store_true", help="ten scenarios")
    which.add_argument("--only", nargs="+", metavar="NAME", help="these, by the beginning of their names")
    parser.add_argument("--table", type=pathlib.Path, help="write the table here as well")
    arguments = parser.parse_args()
    every = scenarios.matrix()
    if arguments.short:
        every = [each for each in every if each.name in scenarios.SHORT]
    elif arguments.only:
        every = [each for each in every if each.name.startswith(tuple(arguments.only))]
    if not every:
        parser.error("no scenario has such a name")
    return every, arguments.table


def main():
    every, table = chosen()
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    score = Score()
    for number, scenario in enumerate(every, 1):
        said = len(score.remarks)
        score.judge(scenario)
        print(f"{number}/{len(every)} {scenario.name}: {'right' if len(score.remarks) == said else 'wrong'}", flush=True)
        for remark in score.remarks[said:]:
            print(f"    {remark}", flush=True)
    print("", *score.cost_lines(), "", score.table(), sep="\n")
    if table:
        table.write_text(score.table() + "\n")
    missed = score.missed_targets()
    sys.exit("\n".join(missed) if missed else 0)


if __name__ == "__main__":
    main()
