#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""batches_test.py UNITY_BUILD CMAKE: which sources are compiled as one, on a small tree of its own: a file that comes or goes changes one batch."""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

UNITY_BUILD, CMAKE = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
PROJECT = f"""cmake_minimum_required(VERSION 3.25)
project(House LANGUAGES CXX)
include({UNITY_BUILD})
file(GLOB sources CONFIGURE_DEPENDS roof/*.cpp wall/*.cpp)
add_library(house OBJECT ${{sources}})
ringside_join_sources(${{PROJECT_SOURCE_DIR}})
"""


class Batches(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "CMakeLists.txt").write_text(PROJECT)
        for number in range(40):
            self.write(f"roof/tile_{number}.cpp", 20_000)
        for number in range(3):
            self.write(f"wall/brick_{number}.cpp", 1000)
        self.before = self.batches()

    def write(self, name, size):
        (self.root / name).parent.mkdir(exist_ok=True)
        (self.root / name).write_text("// " + "x" * size + "\n")

    def batches(self, build="build"):
        """{batch: its files}."""
        subprocess.run([CMAKE, "-G", "Ninja", "-S", self.root, "-B", self.root / build], check=True, capture_output=True)
        return {path.name: re.findall(r'#include "(?:.*/)?(\w+/\w+\.cpp)"', path.read_text())
                for path in (self.root / build).rglob("unity_*.cxx")}

    def changed(self, build="build"):
        now = self.batches(build)
        return [name for name in sorted(now | self.before) if now.get(name) != self.before.get(name)]

    def test_a_small_folder_is_one_batch_and_a_large_one_several(self):
        wall = [files for files in self.before.values() if files[0].startswith("wall/")]
        roof = [files for files in self.before.values() if files[0].startswith("roof/")]
        self.assertEqual([["wall/brick_0.cpp", "wall/brick_1.cpp", "wall/brick_2.cpp"]], wall)
        self.assertEqual(4, len(roof))
        self.assertEqual(40, sum(map(len, roof)))

    def test_a_new_file_changes_one_batch(self):
        self.write("roof/antenna.cpp", 20_000)
        changed = self.changed()
        self.assertEqual(1, len(changed), changed)
        self.assertIn("roof/antenna.cpp", self.batches()[changed[0]])

    def test_a_file_that_goes_changes_one_batch(self):
        (self.root / "roof/tile_7.cpp").unlink()
        self.assertEqual(1, len(self.changed()))

    def test_a_folder_that_grows_keeps_its_batches_until_it_has_doubled(self):
        for number in range(40):
            self.write(f"roof/tile_{number}.cpp", 22_000)
        self.assertEqual([], self.changed())
        for number in range(40):
            self.write(f"roof/tile_{number}.cpp", 40_000)
        self.assertEqual(2 * 4 + 1, len(self.batches()))

    def test_a_fresh_build_directory_joins_the_same_files_as_one_that_grew_with_the_tree(self):
        for number in range(40, 80):
            self.write(f"roof/tile_{number}.cpp", 20_000)
        self.assertEqual(self.batches(), self.batches("afresh"))


unittest.main(argv=sys.argv[:1], verbosity=1)
