# SPDX-License-Identifier: Apache-2.0
"""Manual pages and completion, read by the programs that they are for: documents_test.py RINGSIDE."""

import os
import pathlib
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

RINGSIDE = os.path.abspath(sys.argv.pop(1))


def said_by(*words, **environment):
    return subprocess.run(words, env={**os.environ, **environment}, text=True, capture_output=True, check=True, timeout=30).stdout


def commands():
    listed = said_by(RINGSIDE, "--help").split("\nOptions:")[0]
    return re.findall(r"^  ([a-z]+) ", listed, re.M)


class Documents(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = pathlib.Path(cls.temporary.name) / "documents"
        said_by(RINGSIDE, "documents", "-o", cls.folder, SOURCE_DATE_EPOCH="86400")
        cls.pages = {page.stem: page for page in (cls.folder / "man/man1").iterdir()}

    def needs(self, program):
        if shutil.which(program) is None:
            self.skipTest(f"there is no {program}")

    def test_every_command_has_a_page_with_all_that_help_says(self):
        self.assertEqual(set(self.pages), {"ringside"} | {f"ringside-{command}" for command in commands()})
        self.needs("mandoc")
        for command in commands():
            page = said_by("mandoc", "-Tutf8", "-Owidth=1000", self.pages[f"ringside-{command}"])
            page = re.sub(r".\x08", "", page)
            shown = said_by(RINGSIDE, command, "--help")
            for option in re.findall(r"^  (?:-\w, )?(--[a-z-]+)", shown, re.M):
                self.assertIn(option, page, command)
            for line in re.findall(r"^  (\S.*)$", shown.partition("\nExamples:\n")[2], re.M):
                self.assertIn(line, page, command)
            for heading in ("NAME", "SYNOPSIS", "OPTIONS", "EXIT STATUS", "EXAMPLES"):
                self.assertRegex(page, rf"(?m)^{heading}$", command)
            self.assertIn("1970-01-02", page)

    def test_pages_are_clean(self):
        self.needs("mandoc")
        for page in self.pages.values():
            self.assertEqual(subprocess.run(["mandoc", "-Tlint", page], text=True, capture_output=True, timeout=30).stdout, "")

    def test_exit_codes_are_those_of_the_command(self):
        pages = {name: page.read_text() for name, page in self.pages.items()}
        self.assertIn("\\fB125\\fR", pages["ringside-record"])
        self.assertNotIn("\\fB125\\fR", pages["ringside-report"])
        self.assertIn("\\fB4\\fR", pages["ringside-diff"])
        self.assertNotIn("\\fB4\\fR", pages["ringside-hang"])
        self.assertNotIn("\\fB1\\fR", pages["ringside-merge"])
        for variable in ("RINGSIDE_WINDOW", "RINGSIDE_COLLECTOR", "NO_COLOR"):
            self.assertIn(variable, pages["ringside"])

    def in_bash(self, *words):
        script = ('source "$1"; shift; complete -p ringside >/dev/null || exit 1; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); '
                  'COMP_LINE="$*"; _ringside; printf "%s\\n" "${COMPREPLY[@]}"')
        done = subprocess.run(["bash", "--norc", "-c", script, "bash", self.folder / "bash-completion/completions/ringside", "ringside", *words],
                              cwd=self.folder, text=True, capture_output=True, timeout=30)
        self.assertEqual((done.returncode, done.stderr), (0, ""), words)
        return set(done.stdout.split())

    def test_bash_completes(self):
        self.assertLessEqual(set(commands()), self.in_bash(""))
        self.assertNotIn("documents", self.in_bash("do"))
        self.assertEqual(self.in_bash("diff", "--tol"), {"--tolerance"})
        self.assertEqual(self.in_bash("report", "--format", "h"), {"hta-csv", "html"})
        self.assertEqual(self.in_bash("report", "--format", "=", "h"), {"hta-csv", "html"})
        self.assertEqual(self.in_bash("report", "fi"), {"fish"})
        self.assertEqual(self.in_bash("report", "--config", "z"), {"zsh"})
        self.assertEqual(self.in_bash("diff", "--gate", ""), set())
        self.assertIn("mkfifo", self.in_bash("record", "-o", "x", "--", "mkfif"))

    def test_fish_completes(self):
        self.needs("fish")

        def completed(line):
            script = self.folder / "fish/vendor_completions.d/ringside.fish"
            text = said_by("fish", "--no-config", "-c", f"source {script}; complete -C '{line}'", HOME=str(self.folder))
            return {each.split("\t")[0] for each in text.splitlines()}

        self.assertEqual(completed("ringside re"), {name for name in commands() if name.startswith("re")})
        self.assertEqual(completed("ringside diff --tol"), {"--tolerance"})
        self.assertEqual(completed("ringside report --format h"), {"hta-csv", "html"})

    def test_zsh_completes(self):
        self.needs("zsh")
        child, terminal = pty.fork()
        if child == 0:
            os.environ.update(HOME=str(self.folder), TERM="dumb", PS1="> ")
            os.execvp("zsh", ["zsh", "-f"])
        self.addCleanup(os.waitpid, child, 0)
        self.addCleanup(os.close, terminal)
        heard = ""

        def ask(line, expected):
            nonlocal heard
            os.write(terminal, (line + "\n").encode())
            deadline = time.monotonic() + 20
            while expected not in heard and time.monotonic() < deadline:
                if select.select([terminal], [], [], 0.5)[0]:
                    heard += os.read(terminal, 65536).decode(errors="replace")
            self.assertIn(expected, heard)

        ask(f"fpath=({self.folder}/zsh/site-functions $fpath); autoload -Uz compinit; compinit -u -D; "
            'ringside() { print -r -- "GOT:${(j:|:)@}:END" }; print READY$((1))', "READY1")
        ask("ringside vers\t", "GOT:version:END")
        ask("ringside diff --toler\t5", "GOT:diff|--tolerance")
        ask("ringside report --format mark\t", "markdown:END")


if __name__ == "__main__":
    unittest.main(verbosity=2)
