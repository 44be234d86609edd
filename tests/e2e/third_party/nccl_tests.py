# SPDX-License-Identifier: Apache-2.0
"""NVIDIA's nccl-tests, unmodified, on the CPU platform under the collector: they run to the end, their data is right, and the trace
contains the calls, sizes, communicators and times that they print."""

import collections
import json
import math
import statistics

import third_party as tp
from third_party import lab

SOURCES = tp.sources("RINGSIDE_NCCL_TESTS")
BUILT = lab.BUILD / "third_party" / "nccl-tests"
WARMUPS, ITERATIONS = 1, 4
CLOSE = 0.12  # relative; they print the mean with the host's part of it, the trace gives the median of the kernels
# Per size and placement: one call to begin with, the timed ones, one whose data is checked.
CALLS_A_LINE = 1 + ITERATIONS + 1
TYPES = {name: number for number, name in enumerate(
    ("int8", "uint8", "int32", "uint32", "int64", "uint64", "half", "float", "double", "bfloat16", "f8e4m3", "f8e5m2"))}
OPERATORS = {name: number for number, name in enumerate(("sum", "prod", "max", "min", "avg", "mulsum"))}


def one(name):
    return lambda ranks: {name: 1}


# NCCL calls of one iteration on one rank.
PROGRAMS = {
    "all_reduce": one("ncclAllReduce"), "all_gather": one("ncclAllGather"), "broadcast": one("ncclBroadcast"),
    "reduce": one("ncclReduce"), "reduce_scatter": one("ncclReduceScatter"), "alltoall": one("ncclAlltoAll"),
    "gather": one("ncclGather"), "scatter": one("ncclScatter"),
    "sendrecv": lambda ranks: {"ncclSend": 1, "ncclRecv": 1},
    "alltoallv": lambda ranks: {"ncclSend": max(ranks - 1, 1), "ncclRecv": max(ranks - 1, 1)},  # nothing for oneself
    "hypercube": lambda ranks: {"ncclSend": int(math.log2(ranks)), "ncclRecv": int(math.log2(ranks))},
}
REDUCING = ("all_reduce", "reduce", "reduce_scatter")
CALLS = """
SELECT m.rank AS rank, m.size AS size, m.device AS device, s.text AS call, c.count AS count, c.datatype AS type, c.reduction AS op,
       count(*) AS calls
  FROM collective_call AS c JOIN communicator AS m ON m.process_id = c.process_id AND m.id = c.communicator_id
  JOIN string AS s ON s.process_id = c.process_id AND s.id = c.api_id
 GROUP BY 1, 2, 3, 4, 5, 6, 7
"""
KERNELS = """
SELECT k.process_id, k.device, (k.end_ns - k.start_ns) / 1e3 AS us FROM kernel AS k JOIN string AS s ON s.process_id = k.process_id AND s.id = k.name_id
 WHERE demangled(s.text) LIKE 'ncclDevKernel%'
"""


class NcclTests(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        home = tp.cuda_home(lab.BUILD / "third_party")
        tp.make(SOURCES / "src", "DSO=1", "MPI=1", "MPI_HOME=/usr/lib/x86_64-linux-gnu/openmpi", f"CUDA_HOME={home}",
                f"NCCL_HOME={home}", f"NVCC={home}/bin/nvcc", f"CUDA_LIB={tp.PLATFORM}", f"BUILDDIR={BUILT}",
                "NVCC_GENCODE=-gencode=arch=compute_80,code=sm_80")

    def perform(self, program, *options, processes=1, sizes=("4K", "64K"), model=None, name="run"):
        """Runs a program under the collector; returns the run directory and what the program says of itself."""
        run = self.folder / f"{name}.ringside"
        printed = self.folder / f"{name}.json"
        printed.unlink(missing_ok=True)
        command = tp.on(processes, [BUILT / f"{program}_perf", "-b", sizes[0], "-e", sizes[1], "-f", 2, "-w", WARMUPS, "-n", ITERATIONS,
                                    "-J", printed, *options])
        lab.record(run, command, environment=tp.environment(model))
        return run, json.loads(printed.read_text())

    def expect_right_data(self, printed):
        for row in printed["results"]:
            for placement in ("out_of_place", "in_place"):
                self.assertIn(row[placement]["nwrong"], (0, None), f"{placement}: {row}")
        checked = [row["out_of_place"]["nwrong"] for row in printed["results"]]
        self.assertNotIn(None, checked, "the data of a line was not checked")

    def expect_calls(self, run, printed, program, ranks, lines=CALLS_A_LINE):
        """Every rank's calls in the trace are those that the printed lines stand for."""
        expected = collections.Counter()
        sizes = collections.defaultdict(set)
        for row in printed["results"]:
            for call, number in PROGRAMS[program](ranks).items():
                type_number = TYPES[row["type"]]
                operator = OPERATORS[row["redop"]] if program in REDUCING else None
                expected[call, type_number, operator] += number * (WARMUPS + 2 * lines)
                sizes[call, type_number].add(row["count"])
        found = collections.defaultdict(collections.Counter)
        seen = collections.defaultdict(set)
        for row in tp.query(run, CALLS):
            self.assertEqual(row["size"], ranks)
            operator = None if row["op"] is None else min(row["op"], OPERATORS["mulsum"])  # made ones count up from there
            found[row["rank"]][row["call"], row["type"], operator] += row["calls"]
            seen[row["call"], row["type"]].add(row["count"])
        self.assertEqual(sorted(row["rank"] for row in tp.query(run, "SELECT rank FROM rank")), list(range(ranks)))
        for rank in range(ranks):
            self.assertEqual(found[rank], +expected, f"{program}, rank {rank} of {ranks}")
        if program not in ("alltoallv", "hypercube"):  # whose transfers have sizes of their own
            self.assertEqual(seen, sizes)
        dropped = tp.query(run, "SELECT coalesce(sum(records), 0) AS records FROM dropped")
        self.assertEqual(dropped[0]["records"], 0)

    def test_every_program_on_one_to_four_devices_of_a_process(self):
        for program in PROGRAMS:
            for devices in (1, 2, 3, 4):
                if program == "hypercube" and devices in (1, 3):
                    continue  # nothing to do for one, and prints nothing for three: it is for powers of two
                with self.subTest(program=program, devices=devices):
                    unordered = program == "hypercube" and devices == 4  # README.md
                    run, printed = self.perform(program, "-g", devices, *(("-c", 0) if unordered else ()))
                    if not unordered:
                        self.expect_right_data(printed)
                    self.expect_calls(run, printed, program, devices, CALLS_A_LINE - (1 if unordered else 0))

    def test_every_program_in_several_processes(self):
        for program in PROGRAMS:
            for processes, devices in ((4, 1), (2, 2)):
                if program == "hypercube" and devices > 1:
                    continue  # README.md
                with self.subTest(program=program, processes=processes, devices=devices):
                    run, printed = self.perform(program, "-g", devices, processes=processes)
                    self.expect_right_data(printed)
                    self.expect_calls(run, printed, program, processes * devices)

    def test_every_type_and_operator(self):
        for program in PROGRAMS:
            with self.subTest(program=program):
                devices = 2 if program == "hypercube" else 3
                run, printed = self.perform(program, "-g", devices, "-d", "all", "-o", "all", sizes=("8K", "16K"))
                self.expect_right_data(printed)
                self.expect_calls(run, printed, program, devices)
                self.assertEqual({row["type"] for row in printed["results"]}, set(TYPES))
                if program in REDUCING:
                    self.assertEqual({row["redop"] for row in printed["results"]}, set(OPERATORS))

    def test_every_root(self):
        for program in ("broadcast", "reduce", "gather", "scatter"):
            with self.subTest(program=program):
                _, printed = self.perform(program, "-g", 3, "-r", -1)
                self.expect_right_data(printed)
                self.assertEqual({int(row["root"]) for row in printed["results"]}, {0, 1, 2})

    def test_ways_to_use_the_library(self):
        ways = {"a thread for two devices each": ("-t", 2, "-g", 2), "initialised by threads": ("-t", 2, "-g", 2, "-p", 1),
                "blocking": ("-g", 3, "-z", 1), "registered": ("-g", 3, "-R", 1), "in windows": ("-g", 3, "-R", 2),
                "misaligned": ("-g", 3, "-u", 1)}
        for name, options in ways.items():
            with self.subTest(way=name):
                run, printed = self.perform("all_reduce", *options)
                self.expect_right_data(printed)
                self.expect_calls(run, printed, "all_reduce", 4 if "-t" in options else 3)

    def test_graphs(self):
        """Captured once, launched 3 times: the calls are those of the capture, the kernels those of the launches."""
        for program in PROGRAMS:
            with self.subTest(program=program):
                devices = 2 if program == "hypercube" else 3
                run, printed = self.perform(program, "-g", devices, "-G", 3)
                self.expect_right_data(printed)
                self.expect_calls(run, printed, program, devices)
                kernels = len(tp.query(run, KERNELS)) / devices / len(printed["results"])
                self.assertGreaterEqual(kernels, 2 * 3 * ITERATIONS, "launches of graphs left no kernels")

    def test_the_data_check_can_fail(self):
        done = lab.run([BUILT / "all_reduce_perf", "-b", "4K", "-e", "4K", "-g", 2, "-n", 1], expect=None,
                       environment=tp.environment(LD_PRELOAD=str(tp.LIBRARIES / "libnccl_tests_lost_element.so")))
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("Out of bounds values : 2 FAILED", done.stdout)

    def test_times_and_bandwidths_agree(self):
        """On links slow enough that the model, not this machine, makes the time."""
        model = self.folder / "slow_links.conf"
        model.write_text("link_bandwidth = 5e7\nlink_latency_ns = 100000\n")
        for program in PROGRAMS:
            for processes, devices in ((1, 4), (2, 2)):
                if program == "hypercube" and processes == 1:
                    continue  # README.md
                with self.subTest(program=program, processes=processes):
                    run, printed = self.perform(program, "-g", devices, "-c", 0, processes=processes, sizes=("4M", "4M"), model=model)
                    (row,) = printed["results"]
                    self.expect_time(run, min(row[placement]["time"] for placement in ("out_of_place", "in_place")))
                    self.expect_bandwidth(run, max(row[placement]["bus_bw"] for placement in ("out_of_place", "in_place")), program)

    def expect_time(self, run, printed_us):
        """The rank with the most to do sets the pace: its kernels follow each other without a gap."""
        by_rank = collections.defaultdict(list)
        for kernel in tp.query(run, KERNELS):
            by_rank[kernel["process_id"], kernel["device"]].append(kernel["us"])
        traced_us = max(statistics.median(times) for times in by_rank.values())
        self.assertAlmostEqual(traced_us / printed_us, 1, delta=CLOSE, msg=f"traced {traced_us} us, printed {printed_us} us")

    def expect_bandwidth(self, run, printed, program):
        if "ncclSend" in PROGRAMS[program](4):
            return  # the report leaves point-to-point transfers out
        (group,) = lab.report(run)["collectives"]
        self.assertEqual(group["ranks"], 4)
        self.assertAlmostEqual(group["busbw_gb_per_s"] / printed, 1, delta=CLOSE, msg=f"{group}, printed {printed}")


if __name__ == "__main__":
    lab.main()
