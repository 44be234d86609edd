# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments: every call that returned has its record, or is counted as dropped; at most the one in flight
may be there beyond the caller's own count. And a training rank that dies leaves a run that can still be reported."""

import json
import os
import shutil
import signal
import struct
import subprocess
import time

import lab

KILLS = int(os.environ.get("RINGSIDE_TEST_KILLS", 20))
CALLS_SQL = ("SELECT count(*) AS calls FROM api_call JOIN string ON string.id = api_id "
             "WHERE text = 'cudaStreamSynchronize'")
DROPS_SQL = "SELECT coalesce(sum(records), 0) AS records FROM dropped"


class Kill(lab.Scenario):
    def figure(self, directory, sql):
        rows = json.loads(lab.run([lab.RINGSIDE, "query", directory, sql, "--format", "json"]).stdout)
        return next(iter(rows[0].values()))

    def victim(self, counter):
        """Pid of the running kill_writer, once it has made its first calls."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if counter.exists() and counter.stat().st_size == 16:
                calls, pid = struct.unpack("QQ", counter.read_bytes())
                if pid and calls:
                    return pid
            time.sleep(0.002)
        self.fail("the victim made no call within 20 s")

    def kill_once(self, index, burst, ring_bytes):
        directory, counter = self.folder / f"kill_{index}.ringside", self.folder / f"counter_{index}"
        writer = lab.BUILD / "bin" / "tests" / "kill_writer"
        recorder = subprocess.Popen([lab.RINGSIDE, "record", "-o", directory, "--", writer, counter, str(burst)],
                                    env={**lab.emulated_gpu(), "RINGSIDE_RING_BYTES": str(ring_bytes)},
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        pid = self.victim(counter)
        moment = self.draw.uniform(0, 0.5)
        time.sleep(moment)
        os.kill(pid, signal.SIGKILL)
        talk = recorder.communicate(timeout=lab.TIMEOUT_S)[1]
        self.assertEqual(recorder.returncode, 128 + signal.SIGKILL, talk)
        lab.run([lab.RINGSIDE, "recover", directory])
        returned = struct.unpack("QQ", counter.read_bytes())[0]
        recorded, dropped = self.figure(directory, CALLS_SQL), self.figure(directory, DROPS_SQL)
        print(f"kill {index} after {moment * 1e3:.1f} ms: {returned} returned, {recorded} recorded, {dropped} dropped")
        self.assertIn(recorded + dropped - returned, (0, 1))
        shutil.rmtree(directory)
        return dropped

    def test_no_returned_call_is_lost_or_uncounted_at_full_speed(self):
        for index in range(KILLS // 2):
            self.kill_once(index, burst=0, ring_bytes=64 << 10)  # small, so that it overflows

    def test_nothing_is_dropped_below_the_drains_rate(self):
        for index in range(KILLS // 2, KILLS):
            self.assertEqual(self.kill_once(index, burst=50, ring_bytes=2 << 20), 0)

    def test_a_training_run_with_a_killed_rank_is_reported(self):
        directory = self.folder / "rank_killed.ringside"
        recorder = subprocess.Popen([str(word) for word in (lab.RINGSIDE, "record", "-o", directory, "--profile", "standard", "--",
                                                            *lab.trainer_command(100000, extra=("--timeout", 10)))],
                                    env=lab.emulated_gpu(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(self.draw.uniform(4, 7))
        os.kill(self.draw.choice(ranks_of(recorder.pid)), signal.SIGKILL)
        self.assertNotEqual(recorder.wait(timeout=60), 0)
        lab.run([lab.RINGSIDE, "recover", directory])
        result = lab.report(directory)
        self.assertEqual(result["run"]["ranks_present"], list(range(lab.RANKS)))
        self.assertGreater(result["coverage"]["steps"]["total"], 3)
        issues = " ".join(each["id"] + " " + each["message"] for each in result["issues"])
        self.assertRegex(issues, "(?i)flush|device", "the device records since the last flush are not reported as missing")


def ranks_of(pid):
    """Process ids of the trainer's ranks below `pid`: the processes that started no others."""
    children = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as stat:
                    children.setdefault(int(stat.read().rsplit(")", 1)[1].split()[1]), []).append(int(name))
            except OSError:
                pass  # it ended meanwhile
    def leaves(parent):
        below = children.get(parent, [])
        return [parent] if not below else [leaf for child in below for leaf in leaves(child)]
    return leaves(pid)


if __name__ == "__main__":
    lab.main()
