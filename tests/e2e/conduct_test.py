# SPDX-License-Identifier: Apache-2.0
"""`ringside record` stays out of the way: exit codes, signals and the job's results are those of the bare command."""

import os
import signal
import subprocess
import time

import lab


class Conduct(lab.Scenario):
    def record(self, *command, expect, environment=None):
        return lab.record(self.folder / "conduct.ringside", command, expect=expect, environment=environment)

    def test_the_exit_code_of_the_command_is_passed_on(self):
        for code in (0, 1, 7, 124):
            self.record("sh", "-c", f"exit {code}", expect=code)

    def test_death_by_a_signal_is_passed_on(self):
        self.record("sh", "-c", "kill -SEGV $$", expect=-signal.SIGSEGV)

    def test_a_command_that_cannot_be_started_has_the_shells_codes(self):
        self.record(self.folder / "absent", expect=127)
        plain = self.folder / "not_executable"
        plain.write_text("text\n")
        self.record(plain, expect=126)

    def test_signals_reach_the_command(self):
        ready = self.folder / "ready"
        script = f"trap 'exit 42' TERM; : > '{ready}'; while :; do sleep 0.05; done"
        recorder = subprocess.Popen([lab.RINGSIDE, "record", "-o", self.folder / "signal.ringside", "--", "sh", "-c", script],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not ready.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        recorder.send_signal(signal.SIGTERM)
        self.assertEqual(recorder.wait(timeout=20), 42)

    def test_a_command_without_a_gpu_leaves_no_process_file(self):
        self.record("sh", "-c", "ls / > /dev/null", expect=0)
        self.assertEqual(list((self.folder / "conduct.ringside").glob("*.db")), [])

    def test_the_run_directory_is_private(self):
        self.record("true", expect=0)
        self.assertEqual(os.stat(self.folder / "conduct.ringside").st_mode & 0o777, 0o700)

    def test_the_trained_parameters_are_the_same_with_and_without_us(self):
        really_computing = lab.emulated_gpu(lab.COMPUTING_MODEL)
        bare, recorded = self.folder / "bare.f32", self.folder / "recorded.f32"
        lab.run(lab.trainer_command(20, extra=("--dump-parameters", bare)), environment=really_computing)
        self.record(*lab.trainer_command(20, extra=("--dump-parameters", recorded)), expect=0, environment=really_computing)
        self.assertGreater(bare.stat().st_size, 1000)
        self.assertEqual(bare.read_bytes(), recorded.read_bytes())


if __name__ == "__main__":
    lab.main()
