# SPDX-License-Identifier: Apache-2.0
"""What recording costs a job: the trainer (emulated GPU, 2 ranks) with nothing preloaded, preloaded and off, light, standard,
deep; step time, CPU time of all its processes, and the memory of its largest process. The rounds of all modes alternate, so that
a busy machine meets all of them. Prints a table: job_cost.py BUILD.

The device model makes the GPU's time, so that the step time moves only where the host becomes the limit, as in a real job;
the CPU time shows the effect on a host-bound job. The slow-down on a real GPU is not measured."""

import json
import os
import pathlib
import shutil
import statistics
import sys

BUILD = pathlib.Path(sys.argv[1]).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
SCRATCH = BUILD / "bench"
COLLECTOR = BUILD / "lib" / "libringside_collector.so"
STEPS = int(os.environ.get("RINGSIDE_BENCH_STEPS", 100))
ROUNDS = int(os.environ.get("RINGSIDE_BENCH_ROUNDS", 5))
RANKS = 2
MODES = ("nothing", "off", "light", "standard", "deep")
COMMAND = [BUILD / "bin" / "ddp_trainer", "--nproc", RANKS, "--steps", STEPS, "--hidden", 256, "--layers", 4, "--bucket-cap-mb", 0.5,
           "--batch", 64, "--eval", 0, "--json", SCRATCH / "job.json"]
RSS_BUDGET_MIB = 64


def environment(mode, more):
    plain = {name: value for name, value in os.environ.items() if not name.startswith(("RINGSIDE_", "LD_PRELOAD"))}
    plain |= {"LD_LIBRARY_PATH": str(BUILD / "lib" / "cpu_platform"), "OPENBLAS_NUM_THREADS": "1",
              "RINGSIDE_DEVICE_MODEL": str(ROOT / "tests" / "e2e" / "device_model.conf")}
    if mode != "nothing":
        plain |= {"LD_PRELOAD": str(COLLECTOR), "RINGSIDE_DIR": str(SCRATCH / "job.ringside"), "RINGSIDE_PROFILE": mode} | dict(more)
    return plain


def run(mode, more=()):
    """One training run: (median step in ms, CPU seconds a step, peak MiB of its largest process)."""
    shutil.rmtree(SCRATCH / "job.ringside", ignore_errors=True)
    quiet = [(os.POSIX_SPAWN_OPEN, descriptor, os.devnull, os.O_WRONLY, 0) for descriptor in (1, 2)]
    words = [str(word) for word in COMMAND]
    child = os.posix_spawn(words[0], words, environment(mode, more), file_actions=quiet)
    _, status, usage = os.wait4(child, 0)
    if status != 0:
        sys.exit(f"the trainer failed in mode {mode}: wait status {status}\n  Run it yourself: {' '.join(words)}")
    step_ms = json.loads((SCRATCH / "job.json").read_text())["step_ms"]["p50"]
    return step_ms, (usage.ru_utime + usage.ru_stime) / STEPS, usage.ru_maxrss / 1024


def main():
    SCRATCH.mkdir(parents=True, exist_ok=True)
    rounds = {mode: [] for mode in MODES}
    for _ in range(ROUNDS):
        for mode in MODES:
            rounds[mode].append(run(mode))
    print(f"job cost (emulated GPU, {RANKS} ranks, {STEPS} steps), median of {ROUNDS} runs; ratios to the run beside it with nothing preloaded")
    print(f"{'':9} {'step ms':>8} {'ratio':>6} {'spread':>7} {'CPU ms/step':>12} {'ratio':>6} {'peak MiB':>9} {'grows':>6}")
    for mode, results in rounds.items():
        figures = [statistics.median(column) for column in zip(*results)]
        pairs = list(zip(results, rounds["nothing"]))
        step = [mine[0] / plain[0] for mine, plain in pairs]
        cpu = [mine[1] / plain[1] for mine, plain in pairs]
        grows = statistics.median(mine[2] - plain[2] for mine, plain in pairs)
        print(f"{mode:9} {figures[0]:8.2f} {statistics.median(step):6.3f} {max(step) - min(step):7.3f} {figures[1] * 1e3:12.2f} "
              f"{statistics.median(cpu):6.3f} {figures[2]:9.1f} {grows:6.1f}")
    print(f"budgets: step time 1.01 light, 1.03 standard (claimed only from a GPU run); memory {RSS_BUDGET_MIB} MiB a rank at standard")


if __name__ == "__main__":
    main()
