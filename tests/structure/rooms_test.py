# SPDX-License-Identifier: Apache-2.0
"""What check_rooms.py must find: each on a small tree of its own."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_rooms.py")
MARKS = "<!-- rooms: written by tests/structure/check_rooms.py -->\n<!-- end of rooms -->\n"
LIST = "house/roof = house/roof : house/wall : the roof\nhouse/wall : : walls\n"


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("tests/structure/rooms.txt", LIST)
        self.write("tests/structure/lines.txt", "house/roof 2 1\nhouse/wall 3 3\n")
        self.write("docs/architecture.md", "before\n" + MARKS + "after\n")
        self.write("house/roof/tile.h", '#include "../wall/brick.h"\n#include <vector>\n')
        self.write("house/wall/brick.h", "")
        self.check("--write")

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def check(self, *arguments):
        done = subprocess.run([sys.executable, "-B", CHECK, self.root, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def faults(self):
        code, text = self.check()
        self.assertEqual(code, 1)
        return text

    def test_a_tree_as_listed_passes(self):
        self.assertEqual(self.check(), (0, "\n"))
        text = (self.root / "docs/architecture.md").read_text()
        self.assertIn("  house_roof --> house_wall\n", text)
        self.assertIn("| `house/roof/` | the roof | house/wall | 2 | 1 |\n", text)
        self.assertTrue(text.startswith("before\n") and text.endswith("after\n"))

    def test_an_arrow_that_is_not_listed_is_named(self):
        self.write("house/wall/brick.h", '#include "house/roof/tile.h"\n')
        self.assertIn("house/wall/brick.h includes house/roof/tile.h: house/wall may not use house/roof", self.faults())

    def test_a_circle_in_the_list_is_named(self):
        self.write("house/wall/brick.h", '#include "house/roof/tile.h"\n')
        self.write("tests/structure/rooms.txt", LIST.replace("house/wall : :", "house/wall : house/roof :"))
        self.assertIn("a circle of rooms: house/roof -> house/wall -> house/roof", self.faults())

    def test_units_that_include_each_other_are_named(self):
        self.write("house/wall/brick.cpp", '#include "mortar.h"\n')
        self.write("house/wall/mortar.h", '#include "brick.h"\n')
        self.assertIn("a circle of units: house/wall/brick -> house/wall/mortar -> house/wall/brick", self.faults())

    def test_folders_of_the_window_that_include_each_other_are_named(self):
        self.write("tests/structure/rooms.txt", LIST + "gui : : the window\n")
        self.write("gui/app/menu.h", '#include "../views/view.h"\n')
        self.write("gui/app/text.h", "")
        self.write("gui/views/view.h", '#include "../app/text.h"\n')
        self.assertIn("a circle of folders: gui/app -> gui/views -> gui/app", self.faults())

    def test_an_arrow_that_nobody_needs_is_named(self):
        self.write("house/roof/tile.h", "")
        self.assertIn("house/roof may use house/wall, but does not", self.faults())

    def test_a_room_without_a_target_is_named(self):
        self.write("tests/structure/lines.txt", "house/roof 2 1\n")
        self.assertIn("house/wall has no target", self.faults())

    def test_a_folder_without_a_room_is_named(self):
        self.write("house/cellar/coal.cpp", "")
        self.assertIn("house/cellar/coal.cpp lies in no room", self.faults())

    def test_a_picture_of_other_rooms_is_named(self):
        self.write("tests/structure/lines.txt", "house/roof 2 1\nhouse/wall 3 3\n")
        self.write("docs/architecture.md", "before\n" + MARKS + "after\n")
        self.assertIn("docs/architecture.md shows other rooms", self.faults())


unittest.main()
