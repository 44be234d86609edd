# SPDX-License-Identifier: Apache-2.0
"""Traces of other tools are reported, queried and converted like native runs, and nothing is claimed that they did not
measure. The test writes its inputs in the tools' own formats."""

import json
import pickle
import sqlite3

import lab
from flight_dumps import DATE_NS, flight_dump, flight_entry

class FlightRecorder(lab.Scenario):
    """The dumps of a job in which rank 1 never came to the fifth collective."""

    def setUp(self):
        self.dumps = self.folder / self._testMethodName
        self.dumps.mkdir()
        for rank in range(3):
            dump = flight_dump(range(1, 5), [] if rank == 1 else [flight_entry(5, "started")])
            (self.dumps / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(dump, protocol=2 + rank))

    def test_hang_names_who_is_missing(self):
        self.assertIn("ncclAllReduce #4 (PyTorch's number 5) of communicator default_pg waits for rank 1",
                      lab.run([lab.RINGSIDE, "hang", self.dumps]).stdout)
        lab.run([lab.RINGSIDE, "hang", "--fail", self.dumps], expect=1)

    def test_dumps_and_the_output_of_the_job_are_witnesses_of_each_other(self):
        (self.dumps / "job.log").write_text("".join(
            f"[rank{rank}]:[E1128 10:04:1{rank}.204117 ProcessGroupNCCL.cpp:629] [Rank {rank}] Watchdog caught collective operation "
            "timeout: WorkNCCL(SeqNum=5, OpType=ALLREDUCE, NumelIn=2000, NumelOut=2000, Timeout(ms)=600000) ran for 600040 "
            "milliseconds before timing out.\n" for rank in (0, 2)))
        (self.dumps / "nccl_trace_rank_7").write_bytes(b"")
        report = json.loads(lab.run([lab.RINGSIDE, "hang", "--format", "json", self.dumps]).stdout)
        self.assertEqual(report["verdict"]["origins"][0]["ranks"], [1])
        self.assertEqual([(each["source"], each["agreement"]) for each in report["witnesses"]], [("torch_watchdog", "agrees")])
        self.assertEqual(report["verdict"]["confidence"], "high")

    def test_an_imported_run_says_the_same(self):
        run = self.folder / "flight.ringside"
        lab.run([lab.RINGSIDE, "import", self.dumps, "-o", run])
        direct, kept = (json.loads(lab.run([lab.RINGSIDE, "hang", "--format", "json", path]).stdout)
                        for path in (self.dumps, run))
        self.assertEqual(direct["verdict"], kept["verdict"])

    def test_the_report_claims_no_device_times(self):
        report = lab.report(self.dumps)
        self.assertEqual(report["run"]["tiers"].get("device", []), [])
        self.assertIn("collective_missing_rank", [finding["rule"] for finding in report["findings"]])
        for row in report["collectives"]:
            self.assertIsNone(row["busbw_gb_per_s"], row)
        self.assertIsNone(report["summary"]["communication_share"])

    def test_a_pickle_is_never_executed(self):
        class Bomb:
            def __reduce__(self):
                return (print, ("executed",))

        for path in self.dumps.iterdir():
            path.unlink()
        (self.dumps / "rank0").write_bytes(pickle.dumps({"version": "2.4", "pg_config": Bomb()}))
        done = lab.run([lab.RINGSIDE, "hang", self.dumps], expect=3)
        self.assertNotIn("executed", done.stdout)
        self.assertRegex(done.stderr, r"GLOBAL .* at byte \d+")

    def test_two_dumps_of_one_rank_are_both_named(self):
        other = self.dumps / "copy_of_rank_0"
        other.write_bytes((self.dumps / "nccl_trace_rank_0").read_bytes())
        done = lab.run([lab.RINGSIDE, "report", self.dumps], expect=3)
        self.assertIn("copy_of_rank_0", done.stderr)
        self.assertIn("nccl_trace_rank_0", done.stderr)


def nccl_log(rank, calls=5):
    """NCCL_DEBUG=INFO of one of four ranks on two hosts."""
    begin = f"node{rank // 2}:{4000 + rank}:{5000 + rank} [{rank % 2}] NCCL INFO "
    comm = f"0x55aa{rank:04x}"
    made = (f"ncclCommInitRank comm {comm} rank {rank} nranks 4 cudaDev {rank % 2} nvmlDev {rank % 2} busId {5 + rank}000 "
            "commId 0xdeadbeef12345678 - Init ")
    lines = ["NCCL_SOCKET_IFNAME set by environment to eth0", "SOME_TOKEN set by environment to hunter2",
             "NCCL_API_KEY set by environment to hunter2", "Using network IB", f"[Rank {rank}] {made}START",
             f"Channel 00/0 : {rank}[0] -> {(rank + 1) % 4}[1] [send] via NET/IB/0/GDRDMA", f"{made}COMPLETE"]
    lines += [f"AllReduce: opCount {call:x} sendbuff 0x7f00 recvbuff 0x7f00 count 1024 datatype 7 op 0 root 0 comm {comm} "
              "[nranks=4] stream 0x1" for call in range(calls)]
    return [begin + line for line in lines]


class NcclLog(lab.Scenario):
    """One file in which a job's ranks and its own output are mixed."""

    def setUp(self):
        self.log = self.folder / f"{self._testMethodName}.log"
        ranks = [nccl_log(rank, calls=4 if rank == 2 else 5) for rank in range(4)]
        lines = ["NCCL version 2.28.9+cuda13.0"]
        for i in range(max(map(len, ranks))):
            lines += [f"[default{rank}]:{each[i]}" for rank, each in enumerate(ranks) if i < len(each)] + ["epoch 3: loss 2.1"]
        self.log.write_text("\n".join(lines) + "\n")

    def test_the_report_knows_ranks_and_calls_but_no_times(self):
        report = lab.report(self.log)
        self.assertEqual(report["run"]["world_size"], 4)
        self.assertEqual(report["run"]["ranks_present"], [0, 1, 2, 3])
        self.assertEqual(report["run"]["hosts"], ["node0", "node1"])
        self.assertEqual(sum(row["count"] for row in report["collectives"]), 5)
        self.assertIsNone(report["steps"]["median_ns"])
        self.assertEqual([row["kernel_ns"] for row in report["collectives"]], [None])

    def test_hang_names_the_rank_whose_log_lacks_the_last_call(self):
        self.assertIn("ncclAllReduce #4 of communicator deadbeef12345678 waits for rank 2, which has not issued it",
                      lab.run([lab.RINGSIDE, "hang", self.log]).stdout)

    def test_settings_are_kept_and_secrets_are_not(self):
        run = self.folder / "log.ringside"
        lab.run([lab.RINGSIDE, "import", self.log, "-o", run])
        rows = json.loads(lab.run([lab.RINGSIDE, "query", run, "--format", "json",
                                   "SELECT DISTINCT name, value FROM setting"]).stdout)
        settings = {row["name"]: row["value"] for row in rows}
        self.assertEqual(settings["NCCL_SOCKET_IFNAME"], "eth0")
        self.assertEqual(settings["network"], "IB")
        self.assertEqual(settings["connections via NET/IB/GDRDMA"], "1")
        self.assertEqual(settings["nccl"], "2.28.9+cuda13.0")
        self.assertEqual(settings["NCCL_API_KEY"], "(redacted)")
        self.assertFalse(any(b"hunter2" in path.read_bytes() for path in run.iterdir()))


class Inspector(lab.Scenario):
    def test_bandwidths_are_shown_and_times_are_not_claimed(self):
        folder = self.folder / "inspector"
        folder.mkdir()
        for rank in range(2):
            lines = [json.dumps({
                "header": {"id": "0x7f8c49", "rank": rank, "n_ranks": 2, "nnodes": 1},
                "metadata": {"inspector_output_format_version": "v4.0", "hostname": "node", "pid": 40 + rank,
                             "dump_timestamp_us": 1748030377748202},
                "coll_perf": {"coll": "AllReduce", "coll_sn": number, "coll_msg_size_bytes": 1_000_000,
                              "coll_exec_time_us": 1000 * (1 + rank), "coll_timing_source": "kernel_gpu"}})
                for number in range(1, 9)]
            (folder / f"node-pid{40 + rank}.log").write_text("\n".join(lines) + "\n")
        report = lab.report(folder)
        row, = report["collectives"]
        self.assertEqual((row["count"], row["transfer_ns"], row["kernel_ns"]), (8, 1_000_000, 2_000_000))
        self.assertIsNone(report["steps"]["median_ns"])
        self.assertEqual(report["run"]["tiers"].get("device", []), [])
        self.assertIn("unknown whether", lab.run([lab.RINGSIDE, "hang", folder]).stdout)
        run = self.folder / "inspector.ringside"
        lab.run([lab.RINGSIDE, "import", folder, "-o", run])
        self.assertEqual(lab.report(run)["collectives"], report["collectives"])


class NsysExport:
    """A SQLite export of Nsight Systems without payloads, as `nsys export` makes it unless asked: two ranks, one process each."""

    KERNELS = {"gemm": "ampere_sgemm_128x64_nn", "nccl": "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgs)"}

    def __init__(self, path):
        self.database = sqlite3.connect(path)
        self.strings = {}
        self.correlation = 0
        self.database.executescript("""
            CREATE TABLE META_DATA_EXPORT (name TEXT, value TEXT);
            INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_SCHEMA_VERSION', '3.25.0'), ('EXPORT_PARAM_INCLUDE_BLOBS', 'false'),
              ('EXPORT_PARAM_INCLUDE_JSON', 'false');
            CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
            CREATE TABLE PROCESSES (globalPid INTEGER, pid INTEGER, name TEXT);
            CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER, utcTime TEXT);
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
              streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, eventClass INTEGER, globalTid INTEGER,
              correlationId INTEGER, nameId INTEGER, returnValue INTEGER);
            CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER,
              textId INTEGER, domainId INTEGER);
            INSERT INTO NVTX_EVENTS VALUES (1, NULL, 75, 'NCCL', 4294967296, NULL, 1);""")
        self.insert("TARGET_INFO_SESSION_START_TIME", DATE_NS, "")

    def insert(self, table, *values):
        self.database.execute(f"INSERT INTO {table} VALUES ({','.join('?' * len(values))})", values)

    def text(self, value):
        if value not in self.strings:
            self.strings[value] = len(self.strings) + 1
            self.insert("StringIds", self.strings[value], value)
        return self.strings[value]

    def kernel(self, pid, kind, launched, start, end):
        self.correlation += 1
        name = self.text(self.KERNELS[kind])
        call = self.text("cuLaunchKernelEx" if kind == "nccl" else "cudaLaunchKernel_v7000")
        self.insert("CUPTI_ACTIVITY_KIND_RUNTIME", launched + 10, launched + 20, 0, (pid << 24) | pid, self.correlation, call, 0)
        self.insert("CUPTI_ACTIVITY_KIND_KERNEL", start, end, pid % 2, 1, 13 if kind == "nccl" else 7, self.correlation, pid << 24,
                    name, name)

    def range(self, pid, name, start, end, nccl=False):
        self.insert("NVTX_EVENTS", start, end, 59, None if nccl else name, (pid << 24) | pid,
                    self.text(name) if nccl else None, int(nccl))

    def train(self, steps, compute_ns, late_ns):
        """Rank 1 computes longer by late_ns, and the all-reduce ends 1 ms after it came."""
        length = compute_ns + late_ns + 2_000_000
        for pid in (100, 101):
            self.insert("PROCESSES", pid << 24, pid, "/usr/bin/python3")
            for step in range(steps):
                # Steps differ a little, as they do: else nobody could tell a change from noise.
                begin = 1_000_000 + step * length
                done = begin + 50_000 + compute_ns + (late_ns if pid == 101 else 0) + 1000 * (step % 3)
                self.range(pid, f"iteration {step}", begin, begin + length - 1000)
                self.kernel(pid, "gemm", begin + 1000, begin + 50_000, done)
                self.range(pid, "ncclAllReduce", begin + 20_000, begin + 21_000, nccl=True)
                self.kernel(pid, "nccl", begin + 20_000, done, begin + 50_000 + compute_ns + late_ns + 1_000_000)
        self.database.commit()
        self.database.close()


class Nsys(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.base, cls.late = cls.folder / "base.sqlite", cls.folder / "late.sqlite"
        for path, late_ns in ((cls.base, 0), (cls.late, 3_000_000)):
            NsysExport(path).train(12, 6_000_000, late_ns)

    def test_the_report_finds_the_late_rank_and_says_why_sizes_are_missing(self):
        report = lab.report(self.late)
        self.assertEqual(report["run"]["ranks_present"], [0, 1])
        self.assertAlmostEqual(report["steps"]["median_ns"], 11_000_000, delta=2000)
        self.finding(report, "late_rank", [1])
        row, = report["collectives"]
        self.assertEqual((row["collective"], row["ranks"], row["bytes"], row["busbw_gb_per_s"]), ("AllReduce", 2, None, None))
        issue, = [each for each in report["issues"] if each["id"] == "message_sizes_missing"]
        self.assertIn("--include-blobs=true", issue["message"])

    def test_diff_of_a_pair_has_a_verdict(self):
        result = json.loads(lab.run([lab.RINGSIDE, "diff", self.base, self.late, "--gate", "5", "--format", "json"],
                                    expect=1).stdout)
        self.assertEqual(result["verdict"], "worse")
        self.assertIn("late_rank", result["new_findings"])
        text = lab.run([lab.RINGSIDE, "diff", self.late, self.base]).stdout
        self.assertTrue(text.startswith("Better: the step takes 8.0"), text)
        self.assertEqual(text.count("payload"), 1, "what both lack is said once")

    def test_an_imported_run_says_the_same(self):
        run = self.folder / "nsys.ringside"
        lab.run([lab.RINGSIDE, "import", self.late, "-o", run])
        direct, kept = lab.report(self.late), lab.report(run)
        for part in ("summary", "steps", "ranks", "collectives", "findings"):
            self.assertEqual(direct[part], kept[part], part)

    def test_query_sees_it_as_a_run(self):
        rows = json.loads(lab.run([lab.RINGSIDE, "query", self.base, "--format", "json",
                                   "SELECT count(*) AS n FROM kernel"]).stdout)
        self.assertEqual(rows, [{"n": 48}])


if __name__ == "__main__":
    lab.main()
