# SPDX-License-Identifier: Apache-2.0
"""Experiments give a table and a chart, and complain about a file that is none."""

import sys
import xml.etree.ElementTree

import lab

EXPERIMENTS = lab.ROOT / "reference_trainer" / "experiments"
TINY = """title = "Tiny"
trainer = ["--steps", 8, "--warmup", 2, "--eval", 0, "--hidden", 64, "--layers", 2]
variant = [
  {name = "1", options = ["--nproc", 1, "--batch", 16]},
  {name = "2", options = ["--nproc", 2, "--batch", 32]},
]
"""


class Experiment(lab.Scenario):
    def run_experiment(self, text, expect=0):
        path = self.folder / "tiny.toml"
        path.write_text(text)
        return lab.run([sys.executable, "-B", EXPERIMENTS / "experiment.py", path, "-o", self.folder], expect,
                       {**lab.os.environ, "RINGSIDE_BUILD_DIR": str(lab.BUILD)})

    def test_a_table_and_a_chart_are_written(self):
        done = self.run_experiment(TINY)
        table = (self.folder / "tiny.md").read_text()
        self.assertIn(table.strip(), done.stdout)
        rows = [line.split("|")[1:-1] for line in table.splitlines() if line.startswith("| ")]
        self.assertEqual([row[0].strip() for row in rows], ["variant", "1", "2"])
        self.assertEqual({len(row) for row in rows}, {12})
        for row in rows[1:]:
            step, *parts = (float(cell) for cell in row[2:7])
            self.assertGreater(step, 0)
            self.assertAlmostEqual(step, sum(parts), delta=0.25)  # five roundings to 0.1
        self.assertEqual(float(rows[1][10]), 1.0)
        chart = xml.etree.ElementTree.parse(self.folder / "tiny.svg").getroot()
        self.assertEqual(len(chart.findall("{http://www.w3.org/2000/svg}rect")), 1 + 4 + 2 * 4)

    def test_a_question_may_ask_for_more_columns(self):
        self.run_experiment(TINY + 'columns = ["peak memory, MiB", "s an epoch"]\n')
        lines = (self.folder / "tiny.md").read_text().splitlines()
        self.assertTrue(next(line for line in lines if line.startswith("| variant")).endswith("| peak memory, MiB | s an epoch |"))
        for line in (line for line in lines if line.startswith(("| 1 ", "| 2 "))):
            cells = [cell.strip() for cell in line.split("|")[1:-1]]
            self.assertEqual(len(cells), 14)
            self.assertGreater(float(cells[12]), 0)
            self.assertAlmostEqual(float(cells[13]), 16384 / float(cells[9]), delta=0.1)

    def test_a_file_that_is_no_experiment_is_refused(self):
        for text, why in (("title =", "Invalid value"), ("title = \"x\"", "at least two"),
                          (TINY + "ranks = 3\n", "unknown: ['ranks']"), (TINY + 'columns = ["colour"]\n', "unknown: ['colour']"), (TINY.replace("options", "option"), "this one has")):
            self.assertIn(why, self.run_experiment(text, expect=1).stderr)

    def test_those_that_are_there_can_be_read(self):
        names = sorted(path.stem for path in EXPERIMENTS.glob("*.toml"))
        self.assertGreaterEqual(len(names), 6)
        sys.path.insert(0, str(EXPERIMENTS))
        import experiment
        for name in names:
            self.assertGreaterEqual(len(experiment.load(EXPERIMENTS / f"{name}.toml")["variant"]), 2)


if __name__ == "__main__":
    lab.main()
