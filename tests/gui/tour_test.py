# SPDX-License-Identifier: GPL-3.0-or-later
"""A tour of the real program on an X server: what a newcomer does on a run, from the first finding to a table of a chosen time,
with keys alone. What is shown is read from the accessibility tree and compared with what `ringside` answers on the same run.

    tour_test.py BUILD-DIRECTORY

RINGSIDE_TRACES=FOLDER: the tour also looks at every view of each run or trace in this folder.
RINGSIDE_PICTURES=FOLDER: see tasks_test.py.
"""

import json
import os
import subprocess
import unittest
from pathlib import Path

import tasks_test  # as a module: its tests are run there
from tasks_test import BUILD, PALETTES, SIZES, Program, eventually, query

from gi.repository import Atspi

TRACES = os.environ.get("RINGSIDE_TRACES")
VIEWS = {"summary": "ctrl+1", "findings": "ctrl+2", "timeline": "ctrl+3", "ranks_and_steps": "ctrl+4", "statistics": "ctrl+5",
         "collectives": "ctrl+6", "settings": "ctrl+7", "what_if": "ctrl+8", "links": "ctrl+9", "samples": "ctrl+0",
         "compare": "ctrl+shift+1", "sql": "ctrl+shift+2", "goodput": "ctrl+shift+3",
         "roles": "ctrl+shift+4", "arrivals": "ctrl+shift+5"}


class Tour(tasks_test.RecordedRun):
    def opened(self, run, size="1280", palette="light"):
        width, height, scale = SIZES[size]
        program = Program(run, width, height, scale, palette, self.folder)
        self.addCleanup(program.close)
        return program

    def text(self, program, name):
        """The text of a field or page."""
        node = program.find(name, ("label", "text", "document text"))
        return Atspi.Text.get_text(node, 0, -1) if node else ""

    def shows(self, program, name, part):
        return eventually(f"{part} in {name}", lambda: part in self.text(program, name) and self.text(program, name))

    def test_from_the_first_finding_to_its_moment_and_the_collective(self):
        program = self.opened(self.run_path)
        report = json.loads(subprocess.run([f"{BUILD}/bin/ringside", "report", self.run_path, "--format", "json"], check=True,
                                           capture_output=True, text=True).stdout)
        first = report["findings"][0]
        program.key("ctrl+2", "Home", "Return")
        self.shows(program, "Selection", first["title"])
        program.key("ctrl+3", "bracketright")
        collective = self.shows(program, "Selection", "AllReduce number")
        self.assertIn("bus bandwidth", collective)
        self.assertIn("arrived", collective)
        program.picture("tour_collective")

    def test_figures_of_a_chosen_time_are_read_as_a_table(self):
        program = self.opened(self.run_path)
        program.key("ctrl+3", "r")
        rows = eventually("figures", lambda: program.rows("Figures of the chosen time"))
        self.assertEqual([row[0] for row in rows], ["0", "1"], rows)
        program.picture("tour_range")

    def test_sql_answers_as_the_command_does(self):
        program = self.opened(self.run_path)
        program.key(VIEWS["sql"], "ctrl+a")
        program.tool("type", "--delay", "20", "SELECT count(*) AS kernels FROM kernel")
        program.key("ctrl+Return")
        program.picture("tour_sql")
        rows = eventually("rows", lambda: program.rows("Rows of the answer"))
        self.assertEqual(rows, query(self.run_path, "SELECT count(*) FROM kernel"))

    def test_a_picture_of_a_moment_is_not_that_of_the_whole_run(self):
        pictures = []
        for name, place in (("whole", ()), ("moment", ("--at", "0.5s", "--for", "20ms", "--rank", "1"))):
            file = Path(self.folder) / f"{name}.png"
            subprocess.run([f"{BUILD}/bin/ringside-gui", "--export", file, *place, self.run_path], check=True, capture_output=True, timeout=120)
            pictures.append(file.read_bytes())
        self.assertNotEqual(*pictures)

    def test_no_view_changes_the_size_of_the_window(self):
        for size in SIZES:
            program = self.opened(self.run_path, size)
            for view, key in VIEWS.items():
                with self.subTest(view=view, size=size):
                    program.key(key)
                    geometry = program.tool("getwindowgeometry", "--shell", program.window)
                    self.assertIn(f"WIDTH={program.size[0]}\nHEIGHT={program.size[1]}\n", geometry)
            program.key("ctrl+3", "F11", "F11")
            self.assertTrue(program.rows("Where a step goes, mean over the analyzed steps"), "the other views are back")

    @unittest.skipUnless(TRACES, "RINGSIDE_TRACES names no folder")
    def test_every_view_of_the_given_traces(self):
        for run in sorted(Path(TRACES).iterdir()):
            for size in SIZES:
                for palette in PALETTES:
                    with self.subTest(run=run.name, size=size, palette=palette):
                        program = self.opened(str(run), size, palette)
                        for view, key in VIEWS.items():
                            program.key(key)
                            program.picture(f"{run.name}_{view}_{size}_{palette}")
                        program.close()
                        self.doCleanups()


if __name__ == "__main__":
    unittest.main()
