# SPDX-License-Identifier: Apache-2.0
"""One question about training, answered by runs: experiment.py FILE.toml [-o FOLDER].

Trains each variant of the file with the reference trainer on the CPU platform (emulated), records it, and writes what
`ringside report` says as FOLDER/NAME.md, a table, and FOLDER/NAME.svg, the steps as bars. The build is build/dev, or
RINGSIDE_BUILD_DIR. It computes no figure of its own but ratios to the first variant."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(os.environ.get("RINGSIDE_BUILD_DIR", ROOT / "build" / "dev")).resolve()
MODEL = HERE / "device.conf"
# What a question may ask for besides, by the heading: from the trainer's own result, with its format.
COLUMNS = {"peak memory, MiB": (lambda result: result["memory"]["peak_bytes_most"] / 2**20, ".2f"),
           "least, MiB": (lambda result: result["memory"]["peak_bytes_least"] / 2**20, ".2f"),
           "activations, MiB": (lambda result: result["memory"]["activations_bytes"] / 2**20, ".2f"),
           "s an epoch": (lambda result: result["epoch_s"], ".1f")}
PARTS = {"compute": "#0072b2", "exposed communication": "#e69f00", "exposed copy": "#56b4e9", "idle": "#bbbbbb"}


def fail(message):
    sys.exit(f"experiment.py: {message}")


def run(command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True, **options)
    if done.returncode != 0:
        fail(f"exit code {done.returncode}: {' '.join(map(str, command))}\n{done.stderr[-2000:]}")
    return done.stdout


def load(path):
    """The file's contents, complained about where they are no experiment."""
    try:
        experiment = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        fail(f"{path}: {error}")
    unknown = set(experiment) - {"title", "trainer", "columns", "variant"} | set(experiment.get("columns", [])) - set(COLUMNS)
    variants = experiment.get("variant", [])
    if unknown or "title" not in experiment or len(variants) < 2:
        fail(f"{path}: needs title, trainer and at least two [[variant]]; columns are {list(COLUMNS)}" + (f"; unknown: {sorted(unknown)}" if unknown else ""))
    for variant in variants:
        if set(variant) != {"name", "options"}:
            fail(f"{path}: a [[variant]] has a name and options, this one has {sorted(variant)}")
    return experiment


def measured(folder, name, options):
    """What a recorded training run gives: the report, and the trainer's own result."""
    directory, result = folder / f"{name}.ringside", folder / f"{name}.json"
    shutil.rmtree(directory, ignore_errors=True)
    environment = {**os.environ, "LD_LIBRARY_PATH": str(BUILD / "lib/cpu_platform"), "RINGSIDE_DEVICE_MODEL": str(MODEL),
                   "OPENBLAS_NUM_THREADS": "1"}
    run([BUILD / "bin/ringside", "record", "-o", directory, "--profile", "standard", "--", BUILD / "bin/ddp_trainer",
         *options, "--json", result], env=environment)
    report = json.loads(run([BUILD / "bin/ringside", "report", directory, "--format", "json"]))
    shutil.rmtree(directory)
    return report, json.loads(result.read_text())


def row(name, report, result, columns):
    """A variant's figures; times are ms a step, means of the ranks."""
    ranks = [rank["per_step"] for rank in report["ranks"]]
    mean = {part: sum(rank[part.replace(" ", "_") + "_ns"] for rank in ranks) / len(ranks) / 1e6 for part in PARTS}
    return {"name": name, "ranks": len(ranks), "samples_a_second": result["samples_per_s"], "parts": mean,
            "besides": {column: format(COLUMNS[column][0](result), COLUMNS[column][1]) for column in columns},
            "utilization": report["summary"]["gpu_utilization"]["mean"], "ratio": report["summary"]["comm_compute_ratio"]}


def table(title, rows):
    lines = [f"## {title}", "", "Emulated: the CPU platform with experiments/device.conf. Times are ms a step, means of the ranks.", "",
             f"| variant | ranks | step | {' | '.join(PARTS)} | communication / compute | GPU utilization | samples/s | of the first | of the first, a rank |"
             + "".join(f" {column} |" for column in rows[0]["besides"]),
             "|---" * (len(PARTS) + 8 + len(rows[0]["besides"])) + "|"]
    for each in rows:
        gain = each["samples_a_second"] / rows[0]["samples_a_second"]
        parts = " | ".join(f"{each['parts'][part]:.1f}" for part in PARTS)
        lines.append(f"| {each['name']} | {each['ranks']} | {sum(each['parts'].values()):.1f} | {parts} | {'-' if each['ratio'] is None else format(each['ratio'], '.2f')} "
                     f"| {each['utilization']:.0%} | {each['samples_a_second']:.0f} | {gain:.2f} "
                     f"| {gain * rows[0]['ranks'] / each['ranks']:.2f} |" + "".join(f" {cell} |" for cell in each["besides"].values()))
    return "\n".join(lines) + "\n"


def chart(title, rows):
    """Steps as stacked bars."""
    left, width, bar, gap = 130, 560, 22, 8
    longest = max(sum(each["parts"].values()) for each in rows)
    height = 64 + len(rows) * (bar + gap)
    text = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 80} {height}" font-family="sans-serif" font-size="13">',
            f'<rect width="100%" height="100%" fill="white"/><text x="8" y="20" font-size="15">{title}, ms a step (emulated)</text>']
    for number, (part, colour) in enumerate(PARTS.items()):
        x = 8 + number * 185
        text.append(f'<rect x="{x}" y="32" width="12" height="12" fill="{colour}"/><text x="{x + 17}" y="43">{part}</text>')
    for number, each in enumerate(rows):
        y, x = 56 + number * (bar + gap), left
        text.append(f'<text x="{left - 6}" y="{y + 16}" text-anchor="end">{each["name"]}</text>')
        for part, colour in PARTS.items():
            length = each["parts"][part] / longest * width
            text.append(f'<rect x="{x:.1f}" y="{y}" width="{length:.1f}" height="{bar}" fill="{colour}"/>')
            x += length
        text.append(f'<text x="{x + 5:.1f}" y="{y + 16}">{sum(each["parts"].values()):.1f}</text>')
    return "\n".join(text + ["</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("experiment", type=pathlib.Path, metavar="FILE.toml")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=BUILD / "experiments", metavar="FOLDER")
    arguments = parser.parse_args()
    experiment = load(arguments.experiment)
    arguments.output.mkdir(parents=True, exist_ok=True)
    rows = []
    for variant in experiment["variant"]:
        print(f"{variant['name']} ...", file=sys.stderr, flush=True)
        report, result = measured(arguments.output, "recording", [*experiment.get("trainer", []), *variant["options"]])
        rows.append(row(variant["name"], report, result, experiment.get("columns", [])))
    name = arguments.experiment.stem
    (arguments.output / f"{name}.md").write_text(table(experiment["title"], rows))
    (arguments.output / f"{name}.svg").write_text(chart(experiment["title"], rows))
    print(table(experiment["title"], rows))


if __name__ == "__main__":
    main()
