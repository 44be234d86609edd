#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""coverage_test.py API_DIR C_COMPILER: the coverage check fails for an unknown function in any place."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
API, COMPILER = sys.argv[1:3]


def check(scope, source, api=API):
    command = [sys.executable, HERE / "check_coverage.py", scope, api, source]
    return subprocess.run(command, capture_output=True, text=True)


class Coverage(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.at = pathlib.Path(self.folder.name)

    def write(self, name, text):
        (self.at / name).write_text(text)
        return self.at / name

    def library(self, function):
        source = self.write("planted.c", f"int {function}(void) {{ return 0; }}\nint ncclSend(void) {{ return 0; }}\n")
        library = self.at / "libplanted.so"
        subprocess.run([COMPILER, "-shared", "-fPIC", "-o", library, source], check=True)
        return library

    def assert_named(self, result, name):
        self.assertEqual(result.returncode, 1, result.stdout)
        self.assertIn(f"{name} is in", result.stdout)

    def test_a_planted_export_is_named(self):
        for function in "ncclPlanted", "ncclAllReduceTwice":
            self.assert_named(check("nccl", self.library(function)), function)
        for function in ("cudaMemcpyPlanted", "cudaLaunchPlanted_ptsz", "__cudaLaunchPlanted", "cudaGraphPlantedLaunch",
                         "cudaStreamPlantedCapture", "cudaPlantedSynchronize", "cudaMemset9D", "cudaMallocPlanted", "cudaFreePlanted"):
            self.assert_named(check("cuda", self.library(function)), function)

    def test_a_planted_line_and_declaration_are_named(self):
        self.assert_named(check("nccl", self.write("list.txt", "# comment\nncclSend 2.19\nncclPlanted 2.99\n")), "ncclPlanted")
        self.assert_named(check("nccl", self.write("planted.h", "/* ncclNot(int) */\nint ncclSend(int);\nint  ncclPlanted (int);\n")), "ncclPlanted")

    def test_an_ignored_name_needs_a_reason_and_no_row(self):
        for name, text in (("nccl_api.def", "RS_API(int, ncclSend,\n"), ("nccl_ignored.txt", "ncclSend because\nncclRecv\n")):
            self.write(name, text)
        result = check("nccl", self.write("list.txt", "ncclSend 2.19\n"), self.at)
        self.assertEqual(result.returncode, 1)
        self.assertIn("ncclRecv is in nccl_ignored.txt without a reason", result.stdout)
        self.assertIn("ncclSend is both in", result.stdout)

    def test_a_source_without_functions_is_an_error(self):
        self.assertEqual(check("cuda", self.library("somethingElse")).returncode, 1)

    def test_known_functions_pass(self):
        self.assertEqual(check("nccl", self.write("list.txt", "ncclSend 2.19\nncclGetVersion 2.19\n")).returncode, 0)
        self.assertEqual(check("cuda", self.library("cudaLaunchKernel")).returncode, 0)


unittest.main(argv=sys.argv[:1], verbosity=1)
