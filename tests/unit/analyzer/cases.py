# SPDX-License-Identifier: Apache-2.0
"""What tests of the command line share: a folder for each, and a collector that loads and records nothing."""

import concurrent.futures
import os
import pathlib
import subprocess
import sys
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


def run_at_once(case):
    """Runs all tests of a class whose tests mostly wait, at the same time, and ends the program with what unittest would."""
    tests = list(unittest.defaultTestLoader.loadTestsFromTestCase(case))
    with concurrent.futures.ThreadPoolExecutor(len(tests)) as pool:
        results = list(pool.map(lambda test: test.run(), tests))
    for test, result in zip(tests, results, strict=True):
        troubles = [text for _, text in result.failures + result.errors]
        skipped = [f"skipped: {why}" for _, why in result.skipped]
        print(f"{test.id()} ... {'FAILED' if troubles else (skipped or ['ok'])[0]}", *troubles, sep="\n")
    sys.exit(0 if tests and all(result.wasSuccessful() for result in results) else 1)
