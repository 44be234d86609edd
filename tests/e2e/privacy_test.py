# SPDX-License-Identifier: Apache-2.0
"""Privacy of a run directory: no file contains secrets of the job's environment or command line at any time, and only the job's owner
can read the files, whatever the owner of the directory and the umask are."""

import os
import pathlib
import signal
import stat
import subprocess
import sys

import lab

SCRIPT = """
import sys, time
import ringside
number = 0
while True:
    with ringside.step(number), ringside.range("training"):
        time.sleep(0.005)
    number += 1
"""
LIMIT_S = 60


class Privacy(lab.Scenario):
    def secret(self, shape="{}"):
        """One that nothing else has: all share a word to look for."""
        return shape.format(f"planted{self.draw.randrange(1 << 60):x}")

    def start(self, directory, command, **environment):
        """A job with the collector preloaded by hand into a directory that everybody may read, under the umask 0."""
        directory.mkdir()
        directory.chmod(0o755)
        job = subprocess.Popen([str(word) for word in command], umask=0, start_new_session=True, stdout=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, env={**lab.emulated_gpu(), "LD_PRELOAD": str(lab.COLLECTOR), "RINGSIDE_DIR": str(directory),
                                                               **environment})
        self.addCleanup(self.end, job)
        return job

    def end(self, job):
        if job.poll() is None:
            os.killpg(job.pid, signal.SIGKILL)
        job.wait(timeout=LIMIT_S)

    def places(self, directory):
        """The run directory and those outside of it that it names."""
        named = {pathlib.Path(line) for each in directory.glob("*.rings") for line in each.read_text().splitlines()}
        return [directory, *(place for place in named if place.is_dir())]

    def files(self, directory):
        return [file for place in self.places(directory) for file in place.rglob("*")]

    def check_modes(self, directory):
        """Returns the kinds of what was looked at, by their endings."""
        seen = set()
        for file in [*self.places(directory)[1:], *self.files(directory)]:
            try:
                mode = stat.S_IMODE(file.stat().st_mode)
            except FileNotFoundError:
                continue  # gone meanwhile
            self.assertEqual(mode & 0o077, 0, f"{file}: {mode:o}")
            seen.add(file.suffix if file.is_file() else "/")
        return seen

    def test_secrets_are_in_no_file(self):
        script = self.folder / "train.py"
        script.write_text(SCRIPT)
        secrets = {"AWS_SECRET_ACCESS_KEY": self.secret(), "PRIVATE_THING": self.secret(), "SLURM_JWT": self.secret(),
                   "TORCH_HUB_TOKEN": self.secret(), "NCCL_NOTE": self.secret("hf_{}"), "TORCH_PROXY": self.secret("http://user:{}@host/"),
                   "MASTER_ADDR": self.secret("user:{}@host"), "SLURM_COMMENT": self.secret("Bearer eyJ{}")}
        command = [sys.executable, "-B", script, "--api-key", self.secret(), self.secret("--password={}")]
        directory = self.folder / "secrets.ringside"
        job = self.start(directory, command, RINGSIDE_KEEP_LAST="60s", PYTHONPATH=str(lab.ROOT / "collector" / "python"),
                         NCCL_ALGO="Ring", **secrets)
        self.until("recording", lambda: list(directory.glob("*.rings")))
        self.until("a dump", lambda: subprocess.run([lab.RINGSIDE, "record", "--attach-control", directory, "dump"], capture_output=True).returncode == 0)
        self.until("the dump", lambda: list(directory.glob("*.db")))
        self.check_nothing_planted(directory)
        self.end(job)
        lab.run([lab.RINGSIDE, "recover", directory])
        self.check_nothing_planted(directory)
        settings = lab.run([lab.RINGSIDE, "query", directory, "SELECT name, value FROM setting ORDER BY name", "--format", "json"]).stdout
        self.assertIn("Ring", settings)
        for name in secrets:
            self.assertEqual(name in settings, name not in ("AWS_SECRET_ACCESS_KEY", "PRIVATE_THING"), settings)
        self.assertIn("train.py", lab.run([lab.RINGSIDE, "query", directory, "SELECT command FROM process"]).stdout)

    def check_nothing_planted(self, directory):
        looked_at = [file for file in self.files(directory) if file.is_file()]
        self.assertTrue(looked_at)
        for file in looked_at:
            self.assertFalse(b"planted" in file.read_bytes(), str(file))

    def test_nobody_else_may_read_anything(self):
        directory = self.folder / "modes.ringside"
        job = self.start(directory, lab.trainer_command(100000, extra=("--timeout", 3600)), RINGSIDE_HANG_TIMEOUT="2s", RINGSIDE_PROFILE="light")
        self.until("recording", lambda: len(list(directory.glob("*.db"))) == lab.RANKS)
        self.until("an order", lambda: subprocess.run([lab.RINGSIDE, "record", "--attach-control", directory, "level", "light"], capture_output=True).returncode == 0)
        seen = self.check_modes(directory)
        self.assertLessEqual({"/", ".db", ".db-wal", ".ring", ".rings", ".status", ".sampler"}, seen)
        victim = next(int(file.stem.rsplit("-", 1)[1]) for file in directory.glob("*.db"))
        os.kill(victim, signal.SIGSTOP)
        self.until("a hang", lambda: list(directory.glob("*.hang")))
        self.assertIn(".hang", self.check_modes(directory))
        subprocess.run([lab.RINGSIDE, "hang", directory, "--stacks"], capture_output=True, umask=0)
        self.check_modes(directory)
        self.end(job)
        for command in ("recover", "hang"):
            subprocess.run([lab.RINGSIDE, command, directory], capture_output=True, umask=0)
            self.check_modes(directory)


if __name__ == "__main__":
    lab.main()
