# SPDX-License-Identifier: Apache-2.0
"""Hangs and deaths of real processes, one row of hang_table.py each: the verdict on the living run, on the rings that are left once
all were killed, on NCCL's logs alone, or on the run after its end. It must be right, and at no look may it name others with high confidence.
RINGSIDE_TEST_HANGS=all tries all rows, =NAME,NAME those; otherwise the short ones."""

import json
import os
import re
import signal
import subprocess

import jsonschema

import hang_table
import lab

SCHEMA = json.loads((lab.ROOT / "analyzer" / "hang" / "ringside-hang-1.schema.json").read_text())
JOB = lab.BUILD / "bin" / "tests" / "scripted_job"
WANTED = os.environ.get("RINGSIDE_TEST_HANGS", "")
AFTER = "300ms"  # a wait that counts as stuck; ranks are waited for until they stand


def chosen():
    return [row for row in hang_table.ROWS
            if (row.short if not WANTED else WANTED == "all" or row.name in WANTED.split(","))]


def named(report):
    verdict = report["verdict"]
    if verdict["kind"] == "died":
        return [] if verdict["died_first"] is None else [verdict["died_first"]]
    return sorted(verdict["origins"][0]["ranks"]) if verdict["origins"] else []


class Job:
    """The recorded processes of a row."""

    def __init__(self, folder, row):
        self.row, self.folder, self.run, self.logs = row, folder, folder / "run.ringside", folder / "logs"
        self.logs.mkdir(parents=True)
        environment = {**lab.emulated_gpu(), "NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "INIT,COLL", "NCCL_DEBUG_FILE": f"{self.logs}/nccl.%p"}
        command = [lab.RINGSIDE, "record", "-o", self.run, "--hang-timeout", "500ms", "--", JOB, folder, *row.scripts]
        with open(folder / "output", "w") as output:
            self.process = subprocess.Popen([str(word) for word in command], env=environment, stdout=output, stderr=output,
                                            start_new_session=True)

    def stands(self):
        """Whether every rank has come to its last word, or behind it."""
        last = {rank: len(script.split()) - 1 for rank, script in enumerate(self.row.scripts)}
        return all(self.at(rank) >= word for rank, word in last.items())

    def at(self, rank):
        try:
            return int((self.folder / f"{rank}.at").read_text())
        except (OSError, ValueError):
            return -1

    def noticed(self):
        return " hangs: " in (self.folder / "output").read_text()

    def end(self):
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait(timeout=lab.WAIT_S)


class HangTable(lab.Scenario):
    def lose(self, job, partial):
        """NCCL's logs as one file in which a line of the rank is torn by another process, or without its log."""
        texts = [file.read_text() for file in sorted(job.logs.iterdir())]
        own = next(text for text in texts if f" rank {job.row.lost} nranks " in text)
        others = [text for text in texts if text is not own]
        lines = own.splitlines()
        last = max(i for i, line in enumerate(lines) if " INFO Send: " in line or " INFO Recv: " in line)
        torn = lines[last][:lines[last].index(" recvbuff")] + others[0].splitlines()[-1]
        folder = job.folder / ("partial" if partial else "torn")
        folder.mkdir()
        rest = "\n".join(others[0].splitlines()[:-1]) + "\n" + "".join(others[1:])
        mine = "\n".join([*lines[:last], torn, *lines[last + 1:]]) + "\n"
        (folder / "job.log").write_text("".join(others) if partial else rest + mine)
        return folder

    def judge(self, place):
        done = lab.run([lab.RINGSIDE, "hang", place, "--after", AFTER, "--format", "json"], expect=None)
        if done.returncode != 0:
            return None  # the first moments of a trace
        report = json.loads(done.stdout)
        jsonschema.validate(report, SCHEMA)
        return report

    def check_no_victim(self, row, report):
        if report["verdict"]["confidence"] == "high" and report["verdict"]["kind"] != "nothing":
            self.assertEqual(named(report), sorted(row.blamed), f"with high confidence: {report['verdict']['summary']}")

    def is_right(self, row, report):
        call = report["collectives"][0]["call"]["function"] if report["collectives"] else ""
        return (report["verdict"]["kind"] in row.kinds and named(report) == sorted(row.blamed) and row.says in report["verdict"]["summary"] and
                (not row.function or report["verdict"]["kind"] == "died" or call == row.function))

    def look(self, row, place, patience):
        """Right at once where nothing changes any more; a living run must become it."""
        last = None

        def right():
            nonlocal last
            last = self.judge(place) or last
            if last is None:
                return False
            self.check_no_victim(row, last)
            return self.is_right(row, last)
        if patience:
            try:
                self.until("right", right)
            except AssertionError as error:
                if "right" not in str(error):
                    raise
        elif not right():
            self.assertIsNotNone(last, "no report")
        told = (last["verdict"]["kind"], named(last), last["verdict"]["summary"], last["verdict"]["confidence"]) if last else None
        self.assertTrue(last and self.is_right(row, last), f"expected {row.kinds} {row.blamed} {row.function}; told: {told}")

    def check_picture(self, row, place):
        """The page shows the ranks to name in boxes of their own."""
        page = lab.run([lab.RINGSIDE, "hang", place, "--after", AFTER, "--format", "html"]).stdout
        self.assertIn('aria-label="Who waits for whom"', page)
        origins = re.findall(r'class="rank-box origin".*?class="who"[^>]*>([^<]*)<', page)
        self.assertTrue(origins, "no origin is drawn")
        if len(row.blamed) == 1:
            self.assertEqual(origins, [f"rank {row.blamed[0]}"])

    def test_every_row_is_judged_right(self):
        looks = 0
        for row in chosen():
            with self.subTest(row.name):
                folder = self.folder / row.name
                folder.mkdir()
                job = Job(folder, row)
                self.addCleanup(job.end)
                try:
                    looks += self.looks_of(row, job)
                finally:
                    job.end()
        print(f"{len(chosen())} jobs, {looks} looks that were right", flush=True)
        self.assertGreater(looks, 0)

    def test_record_writes_no_verdict_while_the_awaited_rank_works(self):
        def start(name, script):
            row = hang_table.hang(name, "init ar ar sync ar sync", f"init ar ar sync {script}", blamed=(1,))
            folder = self.folder / f"verdict_{name}"
            folder.mkdir()
            job = Job(folder, row)
            self.addCleanup(job.end)
            self.until(f"{name} notices a hang", job.noticed)
            return job
        works = start("works", "compute")
        stands = start("stands", "sleep")  # whose verdict is due later
        self.until("the verdict on the one that stands", lambda: list(stands.run.glob("*.verdict.json")))
        self.assertEqual(list(works.run.glob("*.verdict.json")), [])
        report = self.judge(works.run)
        self.assertEqual(named(report), [1], report["verdict"])

    def looks_of(self, row, job):
        failures = []
        if hang_table.ENDED in row.looks:
            job.process.wait(timeout=lab.WAIT_S)
        else:
            self.until("all ranks stand", job.stands)
        places = {hang_table.ALIVE: job.run, hang_table.ENDED: job.run, hang_table.LEFT: job.run, hang_table.LOGS: job.logs}
        for look in row.looks:
            if look == hang_table.LEFT:
                self.until("a rank notices that it hangs", job.noticed)
            if look not in (hang_table.ALIVE, hang_table.ENDED):
                job.end()
            if look in (hang_table.TORN, hang_table.PARTIAL):
                places[look] = self.lose(job, look == hang_table.PARTIAL)
            try:
                self.look(row, places[look], look == hang_table.ALIVE)
                if row.blamed:
                    self.check_picture(row, places[look])
            except AssertionError as error:
                failures.append(f"{look}: {error}")
        print(row.name, "wrong: " + "\n  ".join(failures) if failures else "right", flush=True)
        self.assertFalse(failures, row.name)
        return len(row.looks)


if __name__ == "__main__":
    lab.main()
