# SPDX-License-Identifier: Apache-2.0
"""What other tools left of a run is reported, asked and kept like a run of our own, and nothing is claimed that they did
not measure. Inputs are made here, in the tools' own formats."""

import json
import pickle

import lab

DATE_NS = 1_763_700_000_000_000_000


def flight_entry(number, state, name="nccl:all_reduce"):
    created = DATE_NS + number * 50_000_000
    return {
        "frames": [{"name": "train_step", "filename": "train.py", "line": 40}], "record_id": number - 1, "pg_id": 0,
        "process_group": ("0", "default_pg"), "collective_seq_id": number, "p2p_seq_id": 0, "op_id": number,
        "profiling_name": name, "time_created_ns": created, "input_sizes": [[4, 250]], "input_dtypes": ["Float"],
        "output_sizes": [[4, 250]], "output_dtypes": ["Float"], "state": state,
        "time_discovered_started_ns": created + 1000,
        "time_discovered_completed_ns": created + 2000 if state == "completed" else None,
        "retired": state == "completed", "timeout_ms": 600_000, "is_p2p": False}


def flight_dump(numbers, waiting=None):
    entries = [flight_entry(number, "completed") for number in numbers]
    return {"version": "2.10", "pg_config": {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2]"}},
            "pg_status": {"0": {"last_enqueued_collective": len(entries)}}, "entries": entries + (waiting or [])}


class FlightRecorder(lab.Scenario):
    """The dumps of a job in which rank 1 never came to the fifth collective."""

    def setUp(self):
        self.dumps = self.folder / self._testMethodName
        self.dumps.mkdir()
        for rank in range(3):
            dump = flight_dump(range(1, 5), [] if rank == 1 else [flight_entry(5, "started")])
            (self.dumps / f"nccl_trace_rank_{rank}").write_bytes(pickle.dumps(dump, protocol=2 + rank))

    def test_hang_names_who_is_missing(self):
        self.assertIn("ncclAllReduce #4 of communicator default_pg waits for rank 1",
                      lab.run([lab.RINGSIDE, "hang", self.dumps]).stdout)
        lab.run([lab.RINGSIDE, "hang", "--fail", self.dumps], expect=1)

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
        self.assertEqual(settings["nccl_version"], "2.28.9+cuda13.0")
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
        self.assertIn("is not known", lab.run([lab.RINGSIDE, "hang", folder]).stdout)


if __name__ == "__main__":
    lab.main()
