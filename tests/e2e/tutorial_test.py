# SPDX-License-Identifier: Apache-2.0
"""The commands of docs/tutorial.md work as they stand there, and its report finds what it shows."""

import subprocess
import sys
import unittest

import lab


class Tutorial(unittest.TestCase):
    def test_every_command_works(self):
        script = lab.ROOT / "docs" / "write_tutorial.py"
        done = subprocess.run([sys.executable, "-B", script, lab.BUILD, "--check"], capture_output=True, text=True, check=False)
        self.assertEqual(0, done.returncode, done.stderr)


unittest.main()
