# SPDX-License-Identifier: Apache-2.0
"""nccl-tests of today, unchanged, under the recorder: each program ends as it does alone, every call that NCCL's log has is in the
trace, and the ranks' calls are matched. RINGSIDE_NCCL_TESTS names a checkout of them; they are built with nvcc into the build folder.
Their kernels, which check the results, have no host version and compute nothing."""

import collections
import json
import os
import pathlib
import re
import shutil
import subprocess
import unittest

import lab

SOURCE = os.environ.get("RINGSIDE_NCCL_TESTS")
NVCC = shutil.which("nvcc", path=os.pathsep.join([os.environ.get("PATH", ""), "/usr/local/cuda/bin", *map(str, pathlib.Path("/usr/local").glob("cuda-*/bin"))]))
PROGRAMS = ("all_reduce", "all_gather", "reduce_scatter", "sendrecv", "alltoall")
RANKS = 2
OPTIONS = ("-b", "8", "-e", "1M", "-f", "8", "-n", "4", "-w", "1")
CALLS_SQL = ("SELECT text AS name, count, count(*) AS calls FROM collective_call JOIN string USING (process_id) WHERE string.id = api_id "
             "GROUP BY text, count")
CALL = re.compile(r"NCCL INFO (\w+): opCount \w+ sendbuff \S+ recvbuff \S+ count (\d+) ")


@unittest.skipUnless(SOURCE, "RINGSIDE_NCCL_TESTS does not name a checkout of nccl-tests")
@unittest.skipUnless(NVCC, "no nvcc builds them")
class NcclTests(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.programs = lab.BUILD / "nccl_tests"
        toolkit = pathlib.Path(NVCC).parents[1]
        libraries = [f"-L{folder}" for folder in (lab.BUILD / "lib" / "cpu_platform", cls.programs / "os")]
        make = ["make", "-C", pathlib.Path(SOURCE) / "src", f"CUDA_HOME={toolkit}", f"NCCL_HOME={os.environ.get('NCCL_HOME', toolkit)}",
                f"BUILDDIR={cls.programs}", "NVCC_GENCODE=-gencode=arch=compute_90,code=compute_90",
                "NVLDFLAGS=" + " ".join([*libraries, "-lcudart", "-lrt", "-lnccl", "-lnccl_test_os"])]
        cls.build([*make, "os.build"])
        cls.build([*make, *(cls.programs / f"{name}_perf" for name in PROGRAMS)])

    @staticmethod
    def build(command):
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL, timeout=1800)

    def judge(self, name, *shape):
        """Runs a program alone and recorded, with its ranks as `shape` says."""
        program = [self.programs / f"{name}_perf", *OPTIONS, *shape]
        alone = lab.run(program, environment=lab.emulated_gpu())
        directory = self.folder / f"{name}.ringside"
        talks = {**lab.emulated_gpu(), "NCCL_DEBUG": "INFO", "NCCL_DEBUG_SUBSYS": "COLL"}
        recorded = lab.record(directory, program, environment=talks)
        for done in (alone, recorded):
            self.assertIn("Out of bounds values : 0 OK", done.stdout)
        calls = collections.Counter((f"nccl{call}", int(count)) for call, count in CALL.findall(recorded.stdout))
        rows = json.loads(lab.run([lab.RINGSIDE, "query", directory, CALLS_SQL, "--format", "json"]).stdout)
        self.assertTrue(calls, recorded.stdout[-4000:])
        self.assertEqual({(row["name"], row["count"]): row["calls"] for row in rows}, calls)
        self.assertEqual({calls_of % RANKS for calls_of in calls.values()}, {0}, "some rank has more calls than the other")
        report = lab.report(directory)
        self.assertEqual(report["run"]["ranks_present"], list(range(RANKS)))
        self.assertEqual([issue for issue in report["issues"] if issue["severity"] != "info"], [])
        matched = sum(group["count"] for group in report["collectives"])
        collectives = sum(number for (call, _), number in calls.items() if call not in ("ncclSend", "ncclRecv"))
        if "-G" in shape:  # captured once, launched several times
            self.assertGreaterEqual(matched * RANKS, collectives)
        else:
            self.assertEqual(matched * RANKS, collectives)

    def test_of_one_thread(self):
        for name in PROGRAMS:
            with self.subTest(name):
                self.judge(name, "-g", RANKS)

    def test_of_a_thread_for_each_gpu(self):
        self.judge("all_reduce", "-t", RANKS, "-g", 1)

    def test_of_a_cuda_graph(self):
        self.judge("all_reduce", "-g", RANKS, "-G", 3)


if __name__ == "__main__":
    lab.main()
