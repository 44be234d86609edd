# SPDX-License-Identifier: Apache-2.0
"""Runs the commands in docs/: the shell blocks after "<!-- run -->", those of one page in one shell."""

import os
import re
import subprocess
import tempfile
import unittest

import lab

PAGES = sorted((lab.ROOT / "docs").glob("*.md"))


def blocks(page):
    return re.findall(r"^<!-- run -->\n```sh\n(.*?)^```$", page.read_text(), re.M | re.S)


class Documents(unittest.TestCase):
    def type_in(self, page):
        """What the shell said, of both streams."""
        environment = {**lab.emulated_gpu(), "PATH": f"{lab.BUILD / 'bin'}:{os.environ['PATH']}", "COLLECTOR": str(lab.COLLECTOR.parent),
                       "TRAIN": "ddp_trainer --nproc 2 --steps 20"}
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(blocks(page))], cwd=folder, env=environment, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=lab.TIMEOUT_S)
        self.assertEqual(done.returncode, 0, done.stdout[-4000:])
        return done.stdout

    def test_every_marked_block_runs(self):
        said = {page.name: self.type_in(page) for page in PAGES if blocks(page)}
        self.assertIn("collector: ", said["install.md"])
        self.assertRegex(said["containers.md"], r"not recorded: rank 0 \(sleep\).*does not exist")
        self.assertIn("2 processes recorded in", said["containers.md"])

    def test_commands_and_options_that_are_shown_exist(self):
        helps = {}
        for page in PAGES:
            for command, rest in re.findall(r"\bringside ([a-z]+)((?: [^\s`|;)&]+)*)", "\n".join(re.findall(r"^```.*?^```|`[^`\n]+`", page.read_text(), re.M | re.S))):
                if command not in helps:
                    helps[command] = subprocess.run([lab.RINGSIDE, command, "--help"], text=True, capture_output=True, timeout=20)
                self.assertEqual(helps[command].returncode, 0, f"{page.name}: ringside {command}")
                for option in re.findall(r" (--[a-z-]+)", rest.split(" -- ")[0]):
                    self.assertIn(option, helps[command].stdout, f"{page.name}: ringside {command} {option}")


if __name__ == "__main__":
    unittest.main(verbosity=2)
