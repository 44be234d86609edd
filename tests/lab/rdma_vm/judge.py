# SPDX-License-Identifier: Apache-2.0
"""Compares the output of Ringside's tools in the machine with the expectations of each scenario: judge.py SCENARIOS RESULTS NAME...

Each line `# expect PATTERN` of a scenario must match one line of the output, and every line of the output must match one of them or
one of its lines `# may PATTERN`. The output has these lines, if the scenario requests them:
    carried: PORT...            ports that carried packets
    links: HEALTH               which `ringside links` and `ringside report` must agree on, as on each finding about ports:
    RULE SEVERITY: TITLE
    event: PORT came up         or `went down`, that libibverbs told while it was recorded
    queue pairs: PORT...        those that the job's processes had queue pairs on
    doctor SEVERITY: TEXT       about RDMA ports
    probe: RDMA measured in N directions [by perftest], TCP in N
    rails measured: N...        by direction, if there is one with several
    probe CAUSE: TEXT           of each that stands out over RDMA; TCP on one emulated processor goes as fast as the real one lets it
    agent: ANSWER               of an agent of the probe that the scenario leads itself"""

import json
import pathlib
import re
import sys


def of_the_run(results):
    links = json.loads((results / "links.json").read_text())
    report = json.loads((results / "report.json").read_text())
    packets = {each["port"]: max(each["gained"].get("tx_packets") or 0, each["gained"].get("rx_packets") or 0)
               for each in links["links"] if each["port"].startswith("rx")}
    carried = sorted(port for port, number in packets.items() if number > 100)
    lines = [f"carried: {' '.join(carried)}", f"links: {links['health']}"]
    lines += [f"{each['rule']} {each['severity']}: {each['title']}" for each in links["findings"]]
    reported = {(each["rule"], each["title"]) for each in report["findings"]}
    if not {(each["rule"], each["title"]) for each in links["findings"]} <= reported or report["summary"]["link_health"] != links["health"]:
        lines.append(f"the report says something else: {report['summary']['link_health']} {sorted(reported)}")
    return lines


def of_the_library(results):
    rows = [row.split(",") for row in (results / "events.csv").read_text().splitlines()[1:]]
    return [f"event: {port} {'came up' if event == '9' else 'went down'}" for port, event in rows]


def of_queue_pairs(results):
    return [f"queue pairs: {' '.join((results / 'queue_pairs.csv').read_text().split()[1:])}"]


def of_the_doctor(results):
    doctor = json.loads((results / "doctor.json").read_text())
    return [f"doctor {each['severity']}: {each['title']}" for host in doctor["hosts"] for each in host["findings"]
            if each["check"].startswith("rdma_")]


def of_the_probe(results):
    probe = json.loads((results / "probe.json").read_text())
    rdma = sum(each["rdma"] is not None for each in probe["directions"])
    tcp = sum(each["gbps"] is not None for each in probe["directions"])
    by = " by perftest" if probe["rdma_tool"] == "perftest" else ""
    lines = [f"probe: RDMA measured in {rdma} directions{by}, TCP in {tcp}"]
    rails = [sum(rail["rdma"] is not None for rail in each["rails"]) for each in probe["directions"]]
    lines += [f"rails measured: {' '.join(map(str, rails))}"] if max(rails) > 1 else []
    return lines + [f"probe {each['cause']}: {each['what']}" for each in probe["outliers"] if each["network"] == "rdma"]


def of_the_agent(results):
    return [f"agent: {line}" for line in (results / "agent").read_text().splitlines()]


def said(results):
    """What a scenario did not ask for has left no file; what it expects of that is missing then."""
    readers = {"links.json": of_the_run, "events.csv": of_the_library, "queue_pairs.csv": of_queue_pairs,
               "doctor.json": of_the_doctor, "probe.json": of_the_probe, "agent": of_the_agent}
    return [line for file, reader in readers.items() if (results / file).exists() for line in reader(results)]


def patterns(scenario, word):
    return re.findall(rf"^# {word} +(.*)$", scenario, re.MULTILINE)


def judge(scenario, results):
    """Wanted and not said, said and not wanted, and all that was said."""
    expected, allowed = patterns(scenario, "expect"), patterns(scenario, "may")
    try:
        lines = said(results)
    except (OSError, ValueError, KeyError) as error:
        lines = [f"nothing that can be read: {error!r}"]
    missing = [pattern for pattern in expected if not any(re.search(pattern, line) for line in lines)]
    surplus = [line for line in lines if not any(re.search(pattern, line) for pattern in expected + allowed)]
    return missing, surplus, lines


def main():
    scenarios, results = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    failed = False
    for name in sys.argv[3:]:
        text = (scenarios / f"{name}.sh").read_text()
        missing, surplus, lines = judge(text, results / name)
        failed = failed or bool(missing or surplus)
        print(f"\n{name}: {'as expected' if not missing and not surplus else 'NOT as expected'}")
        for line in patterns(text, "expect"):
            print(f"  expected  {line}")
        for line in lines:
            print(f"  seen      {line}")
        for line in missing:
            print(f"  MISSING   {line}")
        for line in surplus:
            print(f"  SURPLUS   {line}")
        if missing or surplus:
            for log in sorted((results / name).glob("*log")):
                print(f"  --- {log}\n" + "".join(f"  | {line}\n" for line in log.read_text(errors="replace").splitlines()[-25:]), end="")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
