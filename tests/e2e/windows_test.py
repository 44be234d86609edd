# SPDX-License-Identifier: Apache-2.0
"""Windows by steps, and a running job whose recording is stopped and started on all ranks at the same step. What is inside
a window is complete, and what is outside counts neither as lost nor as idle."""

import json
import re
import subprocess
import time

import lab

STEP = "CAST(substr(text, 14) AS INTEGER)"  # ProfilerStep#N
STEPS_SQL = (f"SELECT process_id, {STEP} AS step, start_ns, end_ns FROM user_range JOIN string USING (process_id) "
             "WHERE string.id = name_id AND text LIKE 'ProfilerStep#%'")
# By rank and step: collectives, other calls, ranges, and the numbers of the collectives.
INSIDE_SQL = f"""WITH step AS MATERIALIZED ({STEPS_SQL})
SELECT rank.rank, step,
  (SELECT count(*) FROM collective_call c WHERE c.process_id = step.process_id AND c.start_ns BETWEEN step.start_ns AND step.end_ns) AS collectives,
  (SELECT min(sequence) FROM collective_call c WHERE c.process_id = step.process_id AND c.start_ns BETWEEN step.start_ns AND step.end_ns) AS first,
  (SELECT count(*) FROM api_call a WHERE a.process_id = step.process_id AND a.start_ns BETWEEN step.start_ns AND step.end_ns
     AND a.thread_id = 1) AS calls,
  (SELECT count(*) FROM user_range r WHERE r.process_id = step.process_id AND r.start_ns BETWEEN step.start_ns AND step.end_ns
     AND r.thread_id = 1) AS ranges
FROM step JOIN rank USING (process_id) ORDER BY 1, 2"""
RANKS = lab.RANKS
STEPS = 40


def rows(directory, sql):
    return json.loads(lab.run([lab.RINGSIDE, "query", directory, sql, "--format", "json"]).stdout)


def facts(directory):
    """{(rank, step): what was recorded of it}, of one merged file, so that process ids differ."""
    merged = directory.with_suffix(".db")
    merged.unlink(missing_ok=True)
    lab.run([lab.RINGSIDE, "merge", directory, "-o", merged])
    return {(row["rank"], row["step"]): tuple(row[key] for key in ("collectives", "first", "calls", "ranges"))
            for row in rows(merged, INSIDE_SQL)}


class Windows(lab.Scenario):
    def record(self, name, *options, steps=STEPS):
        directory = self.folder / f"{name}.ringside"
        lab.run([lab.RINGSIDE, "record", "-o", directory, "--profile", "light", *options, "--",
                 *lab.trainer_command(steps, ranks=RANKS)], environment=lab.emulated_gpu())
        return directory

    def test_a_window_has_the_same_of_its_steps_as_a_whole_recording(self):
        first, count = self.draw.randrange(5, 20), self.draw.randrange(5, 15)
        whole = facts(self.record("whole"))
        window = facts(self.record("window", "--start-step", first, "--steps", count))
        numbers = sorted(step for rank, step in whole if rank == 0)
        inside = numbers[first - 1:first - 1 + count]
        self.assertEqual(sorted({step for _, step in window}), inside)
        self.assertEqual(len(window), RANKS * count)
        self.assertEqual(window, {key: value for key, value in whole.items() if key[1] in inside})

    def test_the_device_work_of_a_short_window_is_whole(self):
        """The host runs ahead of the device: when it leaves the window, the window's work has not run yet."""
        count = self.draw.randrange(1, 4)
        directory = self.folder / "short.ringside"
        lab.run([lab.RINGSIDE, "record", "-o", directory, "--start-step", 10, "--steps", count, "--",
                 *lab.trainer_command(30, ranks=RANKS), "--fault", "late_rank:rank=1,ms=40"], environment=lab.emulated_gpu())
        report = lab.report(directory)
        self.assertEqual(report["coverage"]["steps"]["analyzed"], count, report["coverage"])
        self.assertGreater(report["summary"]["comm_compute_ratio"], 0)
        self.assertEqual([[1]], [each["ranks"] for each in report["findings"] if each["rule"] == "late_rank"])

    def test_a_running_job_stops_and_goes_on_at_the_same_step_everywhere(self):
        directory = self.folder / "control.ringside"
        recorder = subprocess.Popen([str(word) for word in (lab.RINGSIDE, "record", "-o", directory, "--profile", "light", "--",
                                                            *lab.trainer_command(100000, ranks=RANKS))],
                                    env=lab.emulated_gpu(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            self.wait_for_steps(directory)
            stop = self.control(directory, "stop")
            time.sleep(self.draw.uniform(0.3, 1))
            start = self.control(directory, "start")
            self.assertGreater(start, stop)
            self.control(directory, "level", "light")  # a second order follows the first
        finally:
            recorder.terminate()
            recorder.wait(timeout=lab.TIMEOUT_S)
        lab.run([lab.RINGSIDE, "recover", directory])
        recorded = facts(directory)
        for rank in range(RANKS):
            steps = sorted(step for r, step in recorded if r == rank)
            zero = steps[0] - 1  # a step's place and its number may differ
            gap = [(a, b) for a, b in zip(steps, steps[1:]) if b != a + 1]
            self.assertEqual(gap, [(zero + stop - 1, zero + start)], f"rank {rank}")
        switched = rows(directory.with_suffix(".db"), "SELECT level, step FROM window WHERE why <> '' ORDER BY start_ns")
        self.assertEqual([sorted({row["step"] for row in switched if row["level"] == level} & {stop, start})
                          for level in ("paused", "light")], [[stop], [start]])
        self.assertEqual(len([row for row in switched if row["step"] in (stop, start)]), 2 * RANKS, switched)
        for step in range(zero + start, zero + start + 3):  # collectives were counted while nothing was recorded
            self.assertEqual(len({recorded[rank, step][1] for rank in range(RANKS)}), 1)
        issues = {each["id"] for each in lab.report(directory)["issues"]}
        self.assertNotIn("collective_mismatch", issues)

    def wait_for_steps(self, directory):
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            try:
                if len(rows(directory, STEPS_SQL)) >= 5 * RANKS:
                    return
            except (AssertionError, KeyError):
                pass  # not all are there yet
            time.sleep(0.2)
        self.fail("the job did not get going")

    def control(self, directory, *words):
        """Tells the job and returns the step from which all ranks obey."""
        told = lab.run([lab.RINGSIDE, "record", "--attach-control", directory, *words]).stdout
        self.assertIn(f"{RANKS} processes", told)
        step = int(re.search(r"from step (\d+) on", told)[1])
        self.assertEqual(len(re.findall(rf"since step {step}$", told, re.M)), RANKS, told)
        return step


if __name__ == "__main__":
    lab.main()
