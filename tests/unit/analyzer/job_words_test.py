# SPDX-License-Identifier: Apache-2.0
"""The words of a recorded job arrive byte for byte: job_words_test.py RINGSIDE."""

import os
import random
import shutil
import subprocess
import sys
import unittest

import cases

RINGSIDE = sys.argv.pop(1)
SHOW = ["sh", "-c", "exec 3<&0; cat /proc/$$/cmdline"]  # its own words, each ended by a zero
NASTY = [b"", b"[]", b"[0.9, 0.95]", b"[a,b", b"a]", b"{}", b"{a: [1]}", b"%%", b"%", b"@file", b"--", b"-", b"---", b"-o", b"zz", b"--output",
         b"--output=x", b"-h", b"--help", b"--version", b"--profile", b"deep", b"--config", b"report", b"record", b"'", b'"', b'"a b"',
         b"\\", b"\n", b"a\nb", b"\t", b" ", b"$HOME", b"`id`", b"*", b"?", b"#", b"!", b"\xff\xfe", b"\xc3\x28", "ü".encode(), b"=", b"a=b",
         b"--a=[1,2]", b"--a=", b"-1", b"-.5", b"/opt", b"++", b"\x01\x1b[31m", b"true", b"null", b"x" * 100_000]


class JobWords(cases.FolderCase):
    def setUp(self):
        super().setUp()
        collector = cases.make_collector(self.folder / "collector.so")
        self.environment = {**os.environ, "RINGSIDE_COLLECTOR": str(collector)}
        self.run_directory = self.folder / "run.ringside"

    def record(self, *words, options=(), expect=0):
        shutil.rmtree(self.run_directory, ignore_errors=True)
        done = subprocess.run([RINGSIDE, "record", "-o", self.run_directory, *options, *words], env=self.environment, cwd=self.folder,
                              capture_output=True, timeout=60)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def assert_arrive(self, words, *before):
        done = self.record(*before, *SHOW, *words)
        expected = b"".join(os.fsencode(word) + b"\0" for word in [*SHOW, *words])
        self.assertEqual(done.stdout, expected, words)

    def test_each_nasty_word_arrives(self):
        for before in ((), ("--",)):
            self.assert_arrive(NASTY, *before)

    def test_random_words_arrive(self):
        chance = random.Random(20261123)
        for _ in range(60):
            words = chance.choices(NASTY, k=chance.randrange(1, 9))
            words += [bytes(chance.randrange(1, 256) for _ in range(chance.randrange(40))) for _ in range(chance.randrange(4))]
            chance.shuffle(words)
            self.assert_arrive(words, *chance.choice(((), ("--",))))

    def test_very_many_words_arrive(self):
        self.assert_arrive([str(i) for i in range(50_000)])

    def test_options_end_at_the_first_word_that_is_none(self):
        self.assertEqual(self.record("echo", "hello", "-o", "zz").stdout, b"hello -o zz\n")
        self.assertEqual(self.record("echo", "--", "a", "--profile", "deep").stdout, b"-- a --profile deep\n")
        self.assertEqual(self.record("--", "--", "x", expect=127).stdout, b"")  # a program called `--`
        self.assertEqual(self.record("-", "x", expect=127).stdout, b"")
        self.assertEqual([path.name for path in self.folder.glob("zz*")], [])

    def test_options_of_ours_keep_their_values(self):
        for options in (("--profile", "deep"), ("--profile=deep",), ("--cuda-events", "--profile", "deep")):
            done = self.record("sh", "-c", "echo $RINGSIDE_PROFILE", options=options)
            self.assertEqual(done.stdout, b"deep\n", options)
        done = subprocess.run([RINGSIDE, "record", f"-o{self.run_directory}", "echo", "-x"], env=self.environment, capture_output=True)
        self.assertEqual(done.stdout, b"-x\n", done.stderr)

    def test_a_word_without_a_command_is_told(self):
        for words in ((), ("--",), ("--profile", "deep"), ("--",)):
            self.assertIn(b"is missing", self.record(*words, expect=125).stderr)
        self.assertFalse(self.run_directory.exists())

    def test_help_and_mistakes_before_the_command_are_ours(self):
        self.assertIn(b"--keep-last", self.record("--help", "echo").stdout)
        done = self.record("--profle", "deep", "echo", expect=125)
        self.assertIn(b"--profile", done.stderr)
        done = self.record("--nproc-per-node=8", "train.py", expect=125)
        self.assertIn(b"ringside record -- COMMAND", done.stderr)
        self.assertFalse(self.run_directory.exists())


if __name__ == "__main__":
    unittest.main(verbosity=2)
