# SPDX-License-Identifier: GPL-3.0-or-later
"""Everyday tasks in the real program on a real X server, with real keys. What it shows is read from its accessibility tree
(AT-SPI), as a screen reader does, and compared with what `ringside` answers on the same run.

    tasks_test.py BUILD-DIRECTORY

With RINGSIDE_PICTURES=FOLDER, pictures of all tasks in both palettes and three sizes are saved there, to be looked at.
"""

import csv
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

if "RINGSIDE_IN_SESSION" not in os.environ:  # the accessibility bus needs a session bus of its own
    os.environ["RINGSIDE_IN_SESSION"] = "1"
    os.execvp("dbus-run-session", ["dbus-run-session", "--", sys.executable, "-B", *sys.argv])

import gi  # noqa: E402

gi.require_version("Atspi", "2.0")
from gi.repository import Atspi  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve()
PICTURES = os.environ.get("RINGSIDE_PICTURES")
PATIENCE_S = 60
SIZES = {"1280": (1280, 720, 1), "1600": (1600, 1000, 1), "4k": (3840, 2160, 2)} if PICTURES else {"1280": (1280, 720, 1)}
PALETTES = ("light", "dark") if PICTURES else ("light",)


def eventually(what, find):
    end = time.monotonic() + PATIENCE_S
    while time.monotonic() < end:
        try:
            found = find()
        except gi.repository.GLib.GError:  # a widget went while it was looked at
            found = None
        if found:
            return found
        time.sleep(0.2)
    raise AssertionError(f"waited for {what}, in vain")


def all_below(node, depth=0):
    if node is None or depth > 20:
        return
    yield node
    for i in range(min(node.get_child_count(), 300)):
        yield from all_below(node.get_child_at_index(i), depth + 1)


def start_recording(run, *trainer_options, **options):
    """A job of two emulated ranks that is recorded."""
    platform = {
        "LD_LIBRARY_PATH": f"{BUILD}/lib/cpu_platform",
        "RINGSIDE_DEVICE_MODEL": str(Path(__file__).parents[2] / "reference_trainer/cpu_platform/device_models/a100_like.conf"),
        "OPENBLAS_NUM_THREADS": "1",
    }
    words = [f"{name}={value}" for name, value in platform.items()]
    trainer = [f"{BUILD}/bin/ddp_trainer", "--nproc", "2", *trainer_options]
    return subprocess.Popen([f"{BUILD}/bin/ringside", "record", "-o", run, "--profile", "standard", "--", "env", *words, *trainer],
                            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)


def record(run):
    """Two emulated ranks, of which rank 1 comes late."""
    job = start_recording(run, "--steps", "20", "--fault", "late_rank:rank=1,ms=30")
    if job.wait(timeout=300) != 0:
        raise AssertionError("the job failed")


def query(run, sql):
    done = subprocess.run([f"{BUILD}/bin/ringside", "query", run, sql, "--format", "csv"], check=True, capture_output=True, text=True)
    return list(csv.reader(io.StringIO(done.stdout)))[1:]


class Program:
    """The program on an X server of its own."""

    def __init__(self, run, width, height, scale, palette, folder):
        self.folder = Path(tempfile.mkdtemp(dir=folder))
        self.size = (width, height)
        numbers, write = os.pipe()
        self.server = subprocess.Popen(["Xvfb", "-screen", "0", f"{width}x{height}x24", "-nolisten", "tcp", "-displayfd", str(write)],
                                       pass_fds=[write], stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(numbers) as lines:
            self.environment = {**os.environ, "DISPLAY": ":" + lines.readline().strip(), "QT_QPA_PLATFORM": "xcb",
                                "QT_LINUX_ACCESSIBILITY_ALWAYS_ON": "1", "XDG_CONFIG_HOME": str(self.folder),
                                "XDG_RUNTIME_DIR": str(self.folder), "QT_SCALE_FACTOR": str(scale)}
        self.process = subprocess.Popen([f"{BUILD}/bin/ringside-gui", f"--{palette}", run], env=self.environment)
        self.application = eventually("the program on the accessibility bus", self.find_application)
        # the status line is written when the timeline is there
        eventually("the timeline", lambda: self.process.poll() is None and self.table("Findings") is not None)
        self.window = self.tool("search", "--onlyvisible", "--sync", "--pid", str(self.process.pid)).split()[-1]
        self.tool("windowsize", "--sync", self.window, str(width), str(height))
        self.tool("windowmove", self.window, "0", "0")
        self.tool("windowfocus", "--sync", self.window)

    def close(self):
        for process in (self.process, self.server):
            process.send_signal(signal.SIGTERM)
            process.wait(PATIENCE_S)

    def tool(self, *words):
        return subprocess.run(["xdotool", *words], env=self.environment, check=True, capture_output=True, text=True).stdout

    def key(self, *keys):
        self.tool("key", "--delay", "40", *keys)

    def find_application(self):
        desktop = Atspi.get_desktop(0)
        for i in range(desktop.get_child_count()):
            child = desktop.get_child_at_index(i)
            if child is not None and child.get_process_id() == self.process.pid:
                return child
        return None

    def find(self, name, roles):
        for node in all_below(self.application):
            if (node.get_name() or "").startswith(name) and node.get_role_name() in roles:
                return node
        return None

    def table(self, name):
        return self.find(name, ("table", "tree", "tree table"))

    def rows(self, name):
        """The texts of a table by its accessible name; empty while it is."""
        table = self.table(name)
        cells = table.get_table_iface() if table else None
        if cells is None or cells.get_n_rows() <= 0:
            return []
        columns = range(cells.get_n_columns())
        return [[cells.get_accessible_at(row, column).get_name() for column in columns] for row in range(min(40, cells.get_n_rows()))]

    def text(self, name):
        for node in all_below(self.application):
            if node.get_name() == name and node.get_text_iface():
                return Atspi.Text.get_text(node, 0, -1)
        return ""

    def picture(self, name):
        if PICTURES and shutil.which("import"):
            time.sleep(0.8)
            subprocess.run(["import", "-window", "root", f"{PICTURES}/{name}.png"], env=self.environment, check=True)


class RecordedRun(unittest.TestCase):
    """Tests on one run of the trainer."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder, True)
        cls.run_path = f"{cls.folder}/late.ringside"
        record(cls.run_path)


class Tasks(RecordedRun):
    def each_window(self, run):
        for size, (width, height, scale) in SIZES.items():
            for palette in PALETTES:
                program = Program(run, width, height, scale, palette, self.folder)
                try:
                    yield program, f"{size}_{palette}"
                finally:
                    program.close()

    def test_findings_and_statistics_are_read_as_tables(self):
        kernels = int(query(self.run_path, "SELECT count(*) FROM kernel")[0][0])
        for program, name in self.each_window(self.run_path):
            findings = eventually("findings", lambda p=program: p.rows("Findings"))
            self.assertTrue(any("Rank 1" in cell for row in findings for cell in row), findings)
            program.picture(f"overview_{name}")
            program.key("ctrl+5")  # Statistics
            rows = eventually("statistics", lambda p=program: p.rows("Statistics of the chosen time"))
            self.assertLessEqual(sum(int(row[3].replace(",", "")) for row in rows), kernels)
            self.assertGreater(int(rows[0][3].replace(",", "")), 0)
            program.picture(f"statistics_{name}")
            program.key("ctrl+3", "F11")  # the timeline alone
            program.key("bracketright", "bracketright")  # a collective
            program.picture(f"timeline_alone_{name}")
            program.key("F11")
            self.assertTrue(program.rows("Where a step goes, mean over the analyzed steps"))

    def test_a_search_lists_all_matches_and_colours_follow_a_key(self):
        kernels = int(query(self.run_path, "SELECT count(*) FROM kernel JOIN string ON string.id = kernel.name_id AND "
                            "string.process_id = kernel.process_id WHERE string.text LIKE '%sgemm%'")[0][0])
        for program, name in self.each_window(self.run_path):
            program.key("ctrl+3", "k")
            eventually("the legend of families", lambda p=program: "matrix multiplication" in p.text("Selection"))
            program.key("slash")
            program.tool("type", "--delay", "40", "sgemm")
            program.key("Return")
            eventually("the count of matches", lambda p=program: p.find(f"Result of the search: 1 of {kernels:,}", ("label",)))
            button = program.find("List all matches", ("toggle button", "push button", "check box"))
            self.assertTrue(button.get_action_iface().do_action(0))
            rows = eventually("the list of matches", lambda p=program: p.rows("Matches of the search"))
            self.assertIn("sgemm", rows[0][0])
            starts = [float(row[3].split()[0]) for row in rows]
            self.assertEqual(starts, sorted(starts))
            program.picture(f"search_{name}")

    def test_links_are_a_map_and_its_tables(self):
        for program, name in self.each_window(self.run_path):
            program.key("ctrl+9")
            self.assertTrue(eventually("the map of links", lambda p=program: p.find("Map of hosts and links", ("filler", "panel", "canvas", "chart"))))
            self.assertTrue(eventually("the ports", lambda p=program: p.rows("Ports and interfaces")))
            program.key("F11")
            program.picture(f"links_{name}")

    def test_a_run_of_many_ranks_is_shown_as_strips(self):
        generator = BUILD / "bin/bench/make_run"
        if not generator.exists():
            self.skipTest("make_run is not built")
        run = f"{self.folder}/many.ringside"
        subprocess.run([generator, run, "800000", "64"], check=True, capture_output=True, timeout=300)
        for program, name in self.each_window(run):
            rows = eventually("the table of ranks", lambda p=program: p.rows("Where a step goes, mean over the analyzed steps"))
            self.assertEqual(rows[0][0], "0")
            program.key("ctrl+3")
            program.picture(f"ranks_64_{name}")

    def test_a_running_job_is_followed_until_it_ends(self):
        run = f"{self.folder}/live.ringside"
        job = start_recording(run, "--steps", "100000", "--fault", "late_rank:rank=1,ms=30", "--timeout", "600", start_new_session=True)
        self.addCleanup(lambda: (job.poll() is None and os.killpg(job.pid, signal.SIGKILL), job.wait(PATIENCE_S)))
        eventually("the first steps", lambda: any(Path(run).glob("*.live.json")) and any(Path(run).glob("*.db")))
        program = Program(run, 1280, 720, 1, PALETTES[0], self.folder)
        try:
            before = eventually("following", lambda: steps_said(program, "Following the job"))
            eventually("more steps", lambda: steps_said(program, "Following the job") > before + 5)
            program.picture("following")
            program.key("F6")
            held = eventually("the pause", lambda: steps_said(program, "Paused"))
            time.sleep(3)  # longer than a reading and the pause behind it
            self.assertEqual(steps_said(program, "Paused"), held)
            program.picture("paused")
            program.key("F6")
            eventually("what came meanwhile", lambda: steps_said(program, "Following the job") > held)
            self.assertIsNone(job.poll(), "the job does not mind being read")
            job.send_signal(signal.SIGTERM)  # `record` passes it on
            eventually("the end", lambda: steps_said(program, "The job has ended"))
            program.picture("ended")
            report = subprocess.run([f"{BUILD}/bin/ringside", "report", run, "--format", "json"], check=True, capture_output=True)
            self.assertEqual(steps_said(program, "The job has ended"), json.loads(report.stdout)["coverage"]["steps"]["total"])
        finally:
            program.close()


def steps_said(program, what):
    """The number of steps that the status bar names after `what`; 0 while it says something else."""
    label = program.find(what, ("label", "static"))
    words = label.get_name().replace(",", "").split() if label else []
    return next((int(word) for word in words if word.isdigit()), 0)


if __name__ == "__main__":
    unittest.main()
