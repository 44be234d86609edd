# SPDX-License-Identifier: Apache-2.0
"""SIGKILL at random moments: every call that returned has its record, or is counted as dropped; at most the one in flight
may be there beyond the caller's own count. The same within windows, a size and a flight recorder: what they leave out is
left out completely, and is reported. A training rank that is killed leaves a run that can still be reported."""

import json
import os
import shutil
import signal
import struct
import subprocess
import time

import lab

KILLS = int(os.environ.get("RINGSIDE_TEST_KILLS", 20))
COUNTER = struct.Struct("QQQ")  # calls that returned, pid, when the last of them began
# The victim numbers its calls from 1, as their size.
CALLS = ("(SELECT bytes AS number, start_ns, end_ns FROM api_call JOIN string USING (process_id) "
         "WHERE string.id = api_id AND text = 'cudaMemsetAsync')")
FACTS_SQL = (f"SELECT count(*) AS calls, count(DISTINCT number) AS numbers, coalesce(min(number), 0) AS first, "
             f"coalesce(max(number), 0) AS last, (SELECT coalesce(sum(records), 0) FROM dropped) AS dropped, "
             f"(SELECT integrity_check FROM pragma_integrity_check) AS integrity FROM {CALLS}")
GAPS_SQL = (f"SELECT count(*) AS gaps, coalesce(sum(NOT EXISTS (SELECT 1 FROM window AS w WHERE level = 'paused' AND w.start_ns <= gap.until_ns "
            f"AND coalesce(w.end_ns, gap.until_ns) >= gap.from_ns)), 0) AS unexplained FROM "
            f"(SELECT number, start_ns AS until_ns, lag(number, 1, 0) OVER (ORDER BY number) AS before, "
            f"lag(end_ns, 1, 0) OVER (ORDER BY number) AS from_ns FROM {CALLS}) AS gap WHERE number > before + 1")
LEVEL_SQL = "SELECT level, start_ns FROM window ORDER BY start_ns DESC LIMIT 1"
ISSUES_SQL = "SELECT id FROM issue"
LOST_SQL = "SELECT coalesce(sum(records), 0) AS lost FROM dropped WHERE what <> 'rows beyond the size limit'"


class Kill(lab.Scenario):
    def rows(self, directory, sql):
        return json.loads(lab.run([lab.RINGSIDE, "query", directory, sql, "--format", "json"]).stdout)

    def victim(self, counter):
        """Pid of the running kill_writer, once it has made its first calls."""
        deadline = time.monotonic() + 20
        while time.monotonic() < deadline:
            if counter.exists() and counter.stat().st_size == COUNTER.size:
                calls, pid, _ = COUNTER.unpack(counter.read_bytes())
                if pid and calls:
                    return pid
            time.sleep(0.0005)
        self.fail("the victim made no call within 20 s")

    def kill_once(self, name, burst, ring_bytes, *options, earliest_s=0, longest_s=0.5):
        """Kills a recorded victim; returns its run directory, how many calls returned, and what the trace has of them."""
        directory, counter = self.folder / f"{name}.ringside", self.folder / f"{name}.counter"
        writer = lab.BUILD / "bin" / "tests" / "kill_writer"
        recorder = subprocess.Popen([lab.RINGSIDE, "record", "-o", directory, *options, "--", writer, counter, str(burst)],
                                    env={**lab.emulated_gpu(), "RINGSIDE_RING_BYTES": str(ring_bytes)},
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        pid = self.victim(counter)
        # The first moments, in which the recording is set up, as often as all others.
        moment = earliest_s + self.draw.uniform(0, self.draw.choice((0.01, longest_s)))
        time.sleep(moment)
        os.kill(pid, signal.SIGKILL)
        talk = recorder.communicate(timeout=lab.TIMEOUT_S)[1]
        self.assertEqual(recorder.returncode, -signal.SIGKILL, talk)
        lab.run([lab.RINGSIDE, "recover", directory])
        returned, _, last_start_ns = COUNTER.unpack(counter.read_bytes())
        facts = {**self.rows(directory, FACTS_SQL)[0], "last_start_ns": last_start_ns}
        print(f"{name} after {moment * 1e3:.1f} ms: {returned} returned, {facts['calls']} recorded ({facts['first']} to {facts['last']}), "
              f"{facts['dropped']} dropped")
        self.assertEqual(facts["integrity"], "ok")
        self.assertEqual(facts["calls"], facts["numbers"], "a call is there twice")
        self.assertLessEqual(facts["last"], returned + 1)
        return directory, returned, facts

    def kill_complete(self, name, burst, ring_bytes):
        directory, returned, facts = self.kill_once(name, burst, ring_bytes)
        self.assertIn(facts["calls"] + facts["dropped"] - returned, (0, 1))
        shutil.rmtree(directory)
        return facts

    def test_no_returned_call_is_lost_or_uncounted_at_full_speed(self):
        for index in range(KILLS // 2):
            self.kill_complete(f"kill_{index}", burst=0, ring_bytes=64 << 10)  # small, so that it overflows

    def test_nothing_is_dropped_below_the_drains_rate(self):
        for index in range(KILLS // 2, KILLS):
            self.assertEqual(self.kill_complete(f"kill_{index}", burst=50, ring_bytes=2 << 20)["dropped"], 0)

    def test_the_report_says_which_thread_lost_how_many(self):
        directory, _, facts = self.kill_once("named", 0, 64 << 10, earliest_s=0.2)
        self.assertGreater(facts["dropped"], 0)
        thread = self.rows(directory, "SELECT tid, name FROM thread WHERE id = 1")[0]
        told = f"{facts['dropped']} ring records of thread {thread['name']} (tid {thread['tid']})"
        self.assertIn(told, {each["id"]: each["message"] for each in lab.report(directory)["issues"]}["dropped_records"])
        for form in ("text", "markdown"):
            report = lab.run([lab.RINGSIDE, "report", directory, "--format", form]).stdout
            self.assertIn(told, " ".join(report.split()))

    def kill_limited(self, mode, *options, burst=50):
        """Kills under options that leave something out. Where a busy machine kept the drain thread waiting until a ring was full,
        what is missing is counted too; then another one is drawn."""
        wanted = max(KILLS // 20, 2)
        clean = 0
        for index in range(3 * wanted):
            directory, returned, facts = self.kill_once(f"{mode}_{index}", burst, 32 << 20, "--profile", "light", *options, longest_s=2)
            issues = {row["id"] for row in self.rows(directory, ISSUES_SQL)}
            self.assertIn("process_killed", issues)
            if self.rows(directory, LOST_SQL)[0]["lost"] == 0:
                clean += 1
                yield directory, returned, facts, self.rows(directory, GAPS_SQL)[0], issues
            shutil.rmtree(directory)
            if clean == wanted:
                return
        self.fail(f"records were dropped in all but {clean} of {3 * wanted} draws")

    def test_a_flight_recorder_has_everything_to_the_last_call(self):
        for _, returned, facts, gaps, issues in self.kill_limited("keep_last", "--keep-last", "100ms"):
            self.assertGreaterEqual(facts["last"], returned)
            self.assertEqual(gaps["gaps"], int(facts["first"] > 1), "a hole, and not only before the first")
            self.assertTrue(facts["first"] == 1 or "oldest_deleted" in issues)

    def test_the_oldest_makes_room_and_nothing_else_does(self):
        for _, returned, facts, gaps, issues in self.kill_limited("oldest", "--max-size", "4M", "--when-full", "oldest", burst=4000):
            self.assertGreaterEqual(facts["last"], returned)
            self.assertEqual(gaps["gaps"], int(facts["first"] > 1), "a hole, and not only before the first")
            self.assertTrue(facts["first"] == 1 or "oldest_deleted" in issues)

    def test_a_full_trace_has_everything_until_then(self):
        for _, returned, facts, gaps, issues in self.kill_limited("stop", "--max-size", "4M", burst=4000):
            self.assertEqual(gaps["gaps"], 0)
            if facts["last"] < returned:
                self.assertIn("trace_full", issues)
            else:
                self.assertEqual(facts["dropped"], 0)

    def test_what_is_missing_outside_of_windows_is_said_to_be(self):
        for directory, returned, facts, gaps, _ in self.kill_limited("window", "--window", "20ms/30ms"):
            self.assertEqual(gaps["unexplained"], 0)
            if facts["last"] < returned:
                window = self.rows(directory, LEVEL_SQL)[0]
                self.assertTrue(window["level"] == "paused" or facts["last_start_ns"] < window["start_ns"],
                                "a call that began within the last window is missing")

    def test_a_training_run_with_a_killed_rank_is_reported(self):
        directory = self.folder / "rank_killed.ringside"
        recorder = subprocess.Popen([str(word) for word in (lab.RINGSIDE, "record", "-o", directory, "--profile", "standard", "--",
                                                            *lab.trainer_command(100000, extra=("--timeout", 10)))],
                                    env=lab.emulated_gpu(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 60
        while len(list(directory.glob("*.db"))) < lab.RANKS and time.monotonic() < deadline:
            time.sleep(0.05)
        time.sleep(self.draw.uniform(2, 5))
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
