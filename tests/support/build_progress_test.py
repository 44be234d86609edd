# SPDX-License-Identifier: Apache-2.0
"""The estimate of what is left of a build: on a recorded build of the demo's targets, and on small made-up ones."""

import io
import pathlib
import random
import subprocess
import tempfile
import unittest

import build_progress

RECORDED = pathlib.Path(__file__).with_name("recorded_build.txt")


def building(unit):
    return f"Building CXX object {unit}"


def recorded_build():
    """[(seconds since the start, seconds it took, what was finished)] of a build that compiled everything."""
    rows = (line.split() for line in RECORDED.read_text().splitlines() if not line.startswith("#"))
    return [(float(end), float(seconds), building(unit)) for end, seconds, unit in rows]


def estimates(finished, costs, jobs):
    """[(share of the time that has passed, estimate)] after each unit."""
    estimate = build_progress.Estimate(costs, [description for _, description in finished], jobs)
    result = []
    for seconds, description in finished:
        estimate.finish(description)
        result.append((seconds, estimate.left(seconds)))
    return [(seconds, left) for seconds, left in result if left is not None]


class Estimates(unittest.TestCase):
    def setUp(self):
        self.costs = build_progress.Costs({"a/lib/rules_0": 30.0, "a/lib/rules_1": 10.0, "a/lib/rules_2": 20.0, "bin/tool": 1.0})

    def test_of_a_recorded_build_are_near_the_truth_and_never_grow_by_more_than_a_quarter(self):
        recorded = recorded_build()
        end = recorded[-1][0]
        for seed in range(20):
            # What the table says comes from another machine: each unit costs a little more or less there, and some are new.
            draw = random.Random(seed)
            table = {description.split()[-1]: seconds * 3 * draw.uniform(0.7, 1.4) for _, seconds, description in recorded if draw.random() < 0.9}
            shown = estimates([(when, description) for when, _, description in recorded], build_progress.Costs(table), 4)
            self.assertLess(shown[0][0], end / 4, "it is shown early")
            for index, (when, left) in enumerate(shown):
                self.assertAlmostEqual(left, end - when, delta=0.3 * end, msg=seed)
                for _, later in shown[index:]:
                    self.assertLessEqual(later, 1.25 * left, seed)

    def test_units_have_the_name_that_ninja_gives_them(self):
        unit = build_progress.unit_of("analyzer/CMakeFiles/ringside_analyzer.dir/Unity/unity_analyzer_rules_1_cxx.cxx.o")
        self.assertEqual("analyzer/ringside_analyzer/analyzer_rules_1", unit)
        self.assertEqual("analyzer/ringside_analyzer/analyzer_rules", build_progress.folder_of(unit))

    def test_an_unknown_unit_costs_what_its_folder_does(self):
        self.assertEqual(30.0, self.costs.of(building("a/CMakeFiles/lib.dir/Unity/unity_rules_0_cxx.cxx.o")))
        self.assertEqual(20.0, self.costs.of(building("a/CMakeFiles/lib.dir/Unity/unity_rules_7_cxx.cxx.o")))
        self.assertEqual(15.0, self.costs.of(building("b/elsewhere.cpp.o")))
        self.assertEqual(0.0, self.costs.of("Manual pages and completion"))

    def test_a_machine_that_becomes_busy_lets_it_grow_by_a_quarter_a_tenth(self):
        costs = build_progress.Costs({f"u{number}": 1.0 for number in range(100)})
        finished = [(number if number < 50 else 50 + 20 * (number - 50), building(f"u{number}")) for number in range(100)]
        shown = [left for _, left in estimates(finished, costs, 1)]
        self.assertGreater(max(shown[45:]), 1.2 * shown[44], "it does say that the rest takes longer")
        tenths = [shown[index] for index in range(4, len(shown), 10)]
        for before, after in zip(tenths, tenths[1:]):
            self.assertLessEqual(after, 1.25 * before)

    def test_a_build_from_the_cache_is_soon_known_to_be_short(self):
        costs = build_progress.Costs({f"u{number}": 10.0 for number in range(100)})
        shown = estimates([(number / 10, building(f"u{number}")) for number in range(100)], costs, 1)
        self.assertLess([left for seconds, left in shown if seconds >= 5][0], 100)

    def test_everything_else_passes_through(self):
        lines = ["[1/2] " + building("a/CMakeFiles/lib.dir/Unity/unity_rules_0_cxx.cxx.o") + "\n", "error: no\n", "[2/2] Linking CXX executable bin/tool\n"]
        text = io.StringIO()
        seconds = iter([0, 30, 31])
        estimate = build_progress.Estimate(self.costs, [line.split("] ")[1].strip() for line in lines if "]" in line], 1)
        build_progress.show(lines, estimate, False, lambda: next(seconds), text.write)
        self.assertEqual("     built 1 of 2 in 30 s, about 0 s to go\nerror: no\n     built 2 of 2 in 31 s\n", text.getvalue())

    def test_a_plan_that_is_empty_gives_no_estimate(self):
        text = io.StringIO()
        seconds = iter([0, 30])
        line = "[1/1] " + building("a/CMakeFiles/lib.dir/Unity/unity_rules_0_cxx.cxx.o") + "\n"
        build_progress.show([line], build_progress.Estimate(self.costs, [], 1), False, lambda: next(seconds), text.write)
        self.assertEqual("     built 1 of 1 in 30 s\n", text.getvalue())


class Plans(unittest.TestCase):
    def test_name_the_units_though_globs_are_checked_in_each_build(self):
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder)
            (source / "one.in").touch()
            (source / "CMakeLists.txt").write_text(
                "cmake_minimum_required(VERSION 3.25)\nproject(small LANGUAGES NONE)\nfile(GLOB inputs CONFIGURE_DEPENDS *.in)\n"
                "add_custom_command(OUTPUT made COMMAND touch made DEPENDS ${inputs} COMMENT \"Building CXX object one.o\")\n"
                "add_custom_target(all_made ALL DEPENDS made)\n")
            subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", f"{folder}/build"], check=True, capture_output=True)
            script = pathlib.Path(__file__).with_name("build_progress.sh")
            plan = subprocess.run(["bash", "-c", f'. "{script}"; plan_build "{folder}/build"'], check=True, capture_output=True, text=True).stdout
            (source / "plan.txt").write_text(plan)
            self.assertIn("Building CXX object one.o", build_progress.planned(source / "plan.txt"))


if __name__ == "__main__":
    unittest.main()
