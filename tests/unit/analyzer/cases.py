# SPDX-License-Identifier: Apache-2.0
"""What tests of the command line share: a folder for each, and a collector that loads and records nothing."""

import os
import pathlib
import subprocess
import tempfile
import unittest


class FolderCase(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.folder = pathlib.Path(temporary.name)


def make_collector(path):
    subprocess.run(["cc", "-shared", "-x", "c", "-o", path, os.devnull], check=True)
    return path
