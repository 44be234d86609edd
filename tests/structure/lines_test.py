# SPDX-License-Identifier: Apache-2.0
"""What check_lines.py must find: each on a small tree of its own."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

CHECK = pathlib.Path(__file__).with_name("check_lines.py")


class Lines(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write("tests/structure/rooms.txt", "house/roof : house/wall : the roof\nhouse/wall : : walls\n")
        self.write("tests/structure/lines.txt", "# a comment\nhouse/roof 100 80\nhouse/wall 10 10\nreference_trainer 5 5\nreference_trainer/cpu_platform 5 5\n")
        self.write("house/roof/tile.cpp", "line\n" * 102)
        self.write("house/wall/brick.h", "line\n" * 10)
        self.write("house/wall/README.md", "line\n" * 1000)
        self.write("reference_trainer/src/main.cpp", "line\n" * 5)
        self.write("reference_trainer/cpu_platform/nccl/ring.cpp", "line\n" * 5)

    def write(self, path, text):
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def check(self, *arguments):
        done = subprocess.run([sys.executable, "-B", CHECK, self.root, *arguments], capture_output=True, text=True, check=False)
        return done.returncode, done.stdout

    def test_rooms_within_two_percent_pass_and_are_listed_with_their_sums(self):
        code, text = self.check()
        self.assertEqual(0, code, text)
        self.assertIn("    102     100      80  house/roof\n", text)
        self.assertIn("    112     110      90  all of house\n", text)

    def test_a_larger_room_is_named(self):
        self.write("house/roof/tile.cpp", "line\n" * 103)
        code, text = self.check()
        self.assertEqual(1, code)
        self.assertIn("house/roof has 103 lines, more than its 100 and 2 %", text)

    def test_a_room_without_a_row_is_named(self):
        self.write("tests/structure/rooms.txt", "house/roof : house/wall : the roof\nhouse/wall : : walls\nhouse/cellar : : coal\n")
        self.write("house/cellar/coal.cpp", "line\n")
        code, text = self.check()
        self.assertEqual(1, code)
        self.assertIn("house/cellar has no row in tests/structure/lines.txt: add `house/cellar 1 1`", text)

    def test_a_row_without_a_room_is_named(self):
        self.write("house/wall/brick.h", "")
        self.write("tests/structure/rooms.txt", "house/roof : house/wall : the roof\n")
        (self.root / "house/wall/brick.h").unlink()
        code, text = self.check()
        self.assertEqual(1, code)
        self.assertIn("house/wall has a row in tests/structure/lines.txt and no files", text)

    def test_writing_lowers_limits_and_never_raises_them(self):
        self.write("house/wall/brick.h", "line\n" * 7)
        self.assertEqual(0, self.check("--write")[0])
        rows = (self.root / "tests/structure/lines.txt").read_text()
        self.assertIn("# a comment\n", rows)
        self.assertIn("house/roof 100 80\n", rows)
        self.assertIn("house/wall 7 10\n", rows)


if __name__ == "__main__":
    unittest.main()
