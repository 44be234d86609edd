# SPDX-License-Identifier: Apache-2.0
"""Runs scenarios one after the other, each below its time limit, and prints a table. A scenario is a file scenarios/NAME.py with a
docstring that begins with its purpose, and LIMIT_S. It ends with 0 (passed), 77 (skipped) or another code (failed); the last
line that it printed is the reason. With OUT in the environment, results, logs and traces are packed there. Standard library only."""

import argparse
import ast
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import packing

SCENARIOS = pathlib.Path(__file__).with_name("scenarios")
SKIPPED = 77


def scenario(path):
    """What a scenario's file says of itself."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    limit_s = next(ast.literal_eval(node.value) for node in tree.body
                   if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "LIMIT_S")
    return {"name": path.stem, "path": path, "shows": ast.get_docstring(tree).splitlines()[0], "limit_s": limit_s}


def scenarios(folder):
    return [scenario(path) for path in sorted(folder.glob("*.py"))]


def select(known, names):
    """The scenarios of those names in that order, all without a name; an unknown name ends the program."""
    by_name = {each["name"]: each for each in known}
    unknown = [name for name in names if name not in by_name]
    if unknown:
        raise SystemExit(f"no scenario is called {', '.join(unknown)}; there are: {', '.join(by_name)}")
    return [by_name[name] for name in names] or known


def end_group(process):
    """A scenario's job may have many processes: all of its group go, also those that outlive it."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass  # none is left


def last_line(path):
    lines = [line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]
    return lines[-1] if lines else "it said nothing"


def run(each, work, environment):
    """Runs one scenario; what it prints goes to WORK/NAME/log, which is shown when it has ended."""
    folder = work / each["name"]
    folder.mkdir(parents=True)
    log = folder / "log"
    start = time.monotonic()
    with open(log, "wb") as output:
        process = subprocess.Popen([sys.executable, "-B", "-u", each["path"]], stdin=subprocess.DEVNULL, stdout=output,
                                   stderr=subprocess.STDOUT, start_new_session=True,
                                   env={**environment, "RINGSIDE_GPU_WORK": str(folder)})
        try:
            code = process.wait(each["limit_s"])
        except subprocess.TimeoutExpired:
            code = None
        finally:
            end_group(process)
            process.wait()
    print(log.read_text(encoding="utf-8", errors="replace"), end="", flush=True)
    state = {0: "passed", SKIPPED: "skipped"}.get(code, "failed")
    reason = f"it ran past its limit of {each['limit_s']} s" if code is None else last_line(log)
    return {"scenario": each["name"], "state": state, "reason": "" if state == "passed" else reason,
            "seconds": round(time.monotonic() - start, 1)}


def table(results):
    width = max(len(each["scenario"]) for each in results)
    return "\n".join(f"{each['scenario']:<{width}}  {each['state']:<7}  {each['seconds']:>6.1f} s  {each['reason']}".rstrip()
                     for each in results)


def listing(known):
    width = max(len(each["name"]) for each in known)
    rows = [f"{each['name']:<{width}}  {each['limit_s']:>4} s  {each['shows']}" for each in known]
    return "\n".join(rows + [f"{'all':<{width}}  {sum(each['limit_s'] for each in known):>4} s  at most"])


def arguments(words):
    parser = argparse.ArgumentParser(prog="run.sh", description=__doc__.splitlines()[0])
    parser.add_argument("names", metavar="NAME", nargs="*", help="scenarios to run; without one, all")
    parser.add_argument("--list", action="store_true", help="say what scenarios there are, and their limits")
    parser.add_argument("--bundle", type=pathlib.Path, help="what bundle.sh made; default: build/gpu_bundle",
                        default=pathlib.Path(__file__).resolve().parents[3] / "build" / "gpu_bundle")
    return parser.parse_args(words)


def main(words, folder=SCENARIOS):
    options = arguments(words)
    chosen = select(scenarios(folder), options.names)
    if options.list:
        print(listing(chosen))
        return 0
    if not (options.bundle / "bin" / "ringside").exists():
        raise SystemExit(f"no bundle in {options.bundle}: make one where the project is built: tests/e2e/gpu/bundle.sh BUILD")
    work = pathlib.Path(tempfile.mkdtemp(prefix="ringside_gpu_"))
    environment = {**os.environ, "RINGSIDE_GPU_BUNDLE": str(options.bundle.resolve())}
    results = []
    for each in chosen:
        print(f"== {each['name']}: {each['shows']}", flush=True)
        results.append(run(each, work, environment))
        # Written anew after each: what ends this program must not take the others' results along.
        (work / "results.json").write_text(json.dumps(results, indent=1))
        (work / "results.txt").write_text(table(results) + "\n")
        if "OUT" in os.environ:
            packing.pack(work, pathlib.Path(os.environ["OUT"]))
    print(f"\n{table(results)}\nfigures, logs and traces: {os.environ.get('OUT', work)}")
    return int(any(each["state"] == "failed" for each in results))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
