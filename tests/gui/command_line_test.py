# SPDX-License-Identifier: GPL-3.0-or-later
"""The command line of the desktop program on a machine without a display: messages and rejected arguments."""

import os
import subprocess
import sys
import unittest

PROGRAM = sys.argv.pop(1)
BARE = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")}


def run(*arguments):
    return subprocess.run([PROGRAM, *arguments], env=BARE, text=True, capture_output=True, timeout=60)


class CommandLine(unittest.TestCase):
    def assert_refused(self, words, *arguments):
        done = run(*arguments)
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(words, done.stderr)

    def test_help_and_version_need_no_display(self):
        for option, words in (("--help", "--export <FILE>"), ("-h", "Usage:"), ("--version", "ringside-gui"), ("-v", "ringside-gui")):
            done = run(option)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn(words, done.stdout)

    def test_without_a_display_it_says_so_and_what_needs_none(self):
        self.assert_refused("--export", "run.ringside")
        self.assert_refused("there is no display", "run.ringside")

    def test_what_cannot_be_exported_is_refused(self):
        self.assert_refused("--export needs one RUN", "--export", "x.png")
        self.assert_refused("neither .html nor .png", "--export", "x.txt", "run.ringside")
        self.assert_refused("`ringside diff BASE RUN`", "--export", "x.png", "--compare", "base.ringside", "run.ringside")

    def test_a_view_that_is_none_is_refused_with_those_that_are(self):
        self.assert_refused("summary, ", "--export", "x.png", "--view", "nothing", "run.ringside")


if __name__ == "__main__":
    unittest.main(verbosity=2)
