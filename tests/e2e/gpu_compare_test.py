# SPDX-License-Identifier: Apache-2.0
"""The script of tests/e2e/gpu that compares a run with torch.profiler's trace of it: on made-up tables, each with one thing changed,
and on a trace of that profiler that `ringside import` made a run of."""

import copy
import json
import sys
import time
import unittest

import lab

GPU = lab.ROOT / "tests" / "e2e" / "gpu"
sys.path.insert(0, str(GPU))
import trace_differences  # noqa: E402
from compare_trace import query_of  # noqa: E402
from trace_tables import Event, Tables, call_name, kernel_name, read_kineto, read_run  # noqa: E402

STEP_NS = 10_000_000
DATE_US = 1_763_700_000_000_000


def tables(steps):
    """Of a job that launches a kernel four times a step, one copy, makes a collective and a range."""
    made = Tables([], [], [], [], [], [], {}, [], {"name": "GPU", "memory_bytes": 1000})
    for number in steps:
        start = number * STEP_NS
        made.steps[number] = (start, start + STEP_NS - 1000)
        for at in range(start + 100_000, start + 4_100_000, 1_000_000):
            made.calls.append(Event("cudaLaunchKernel", at, at + 5_000))
            made.kernels.append(Event("gemm", at + 10_000, at + 510_000, ("cudaLaunchKernel", at)))
        made.calls.append(Event("cudaMemcpyAsync", start + 5_000_000, start + 5_006_000))
        made.copies.append(Event("copy", start + 5_010_000, start + 5_040_000, ("cudaMemcpyAsync", start + 5_000_000), 4096))
        made.ranges.append(Event("job:forward", start + 50_000, start + 3_000_000))
        made.collectives.append(Event("AllReduce", start + 6_000_000, start + 6_030_000, None, 256))
        made.operations.append(Event("AllReduce", start + 6_001_000, start + 6_020_000))
        made.utilization.append((start + 1, 20))
    return made


class Differences(unittest.TestCase):
    """torch.profiler has steps 10 to 19 of 40; we have all calls, and the device's work of the other steps."""

    def setUp(self):
        self.theirs = tables(range(10, 20))
        self.ours = tables(range(40))
        seen = [event for event in self.ours.kernels if not 10 * STEP_NS <= event.start_ns < 20 * STEP_NS]
        self.ours.kernels[:] = seen

    def found(self):
        return trace_differences.differences(self.theirs, self.ours)

    def change(self, events, at, **new):
        events[at] = events[at]._replace(**new)

    def test_equal_traces_have_none(self):
        self.assertEqual(self.found(), [])

    def test_small_differences_are_tolerated(self):
        for kernel in range(len(self.ours.kernels)):
            self.change(self.ours.kernels, kernel, end_ns=self.ours.kernels[kernel].end_ns + 20_000)
        self.ours = trace_differences.shifted(self.ours, 30_000)
        self.assertEqual(self.found(), [])

    def test_a_kernel_that_is_missing_in_each_step(self):
        self.ours.kernels[:] = [event for number, event in enumerate(self.ours.kernels) if number % 4]
        self.assertEqual(self.found(), ["kernel gemm: torch has 4 a step, ringside 3"])

    def test_no_kernels_at_all(self):
        self.ours.kernels.clear()
        self.assertEqual(self.found(), ["kernel: no step has any in ringside"])

    def test_a_wrong_duration(self):
        self.ours.kernels[:] = [event._replace(end_ns=event.end_ns + 100_000) for event in self.ours.kernels]
        self.assertEqual(self.found(), ["kernel gemm: median of torch 500000 ns, of ringside 600000 ns"])

    def test_kernels_that_wait_for_other_ranks_may_have_any_length_but_not_any_number(self):
        for events in (self.theirs.kernels, self.ours.kernels):
            events[:] = [event._replace(name="ncclDevKernel") for event in events]
        self.ours.kernels[:] = [event._replace(end_ns=event.end_ns + 100_000) for event in self.ours.kernels]
        self.assertEqual(self.found(), [])
        self.ours.kernels[:] = [event for number, event in enumerate(self.ours.kernels) if number % 4]
        self.assertEqual(self.found(), ["kernel ncclDevKernel: torch has 4 a step, ringside 3"])

    def test_another_name(self):
        self.ours.kernels[:] = [event._replace(name="other") for event in self.ours.kernels]
        self.assertEqual(self.found(), ["kernel gemm: torch has 4 a step, ringside 0", "kernel other: torch has 0 a step, ringside 4"])

    def test_another_launch(self):
        self.ours.copies[:] = [event._replace(launch=("cudaMemset", event.launch[1])) for event in self.ours.copies]
        self.assertEqual(self.found(), ["copy copy: launched by cudaMemcpyAsync with 4096 bytes in torch, "
                                        "by cudaMemset with 4096 in ringside"])

    def test_other_bytes(self):
        self.ours.copies[:] = [event._replace(size=8) for event in self.ours.copies]
        self.assertRegex(self.found()[0], "with 4096 bytes in torch, by cudaMemcpyAsync with 8 in ringside")

    def test_work_whose_launch_is_not_known(self):
        for kernel in range(1, 17, 2):
            self.change(self.ours.kernels, kernel, launch=None)
        self.assertEqual(self.found(), ["kernel: ringside has no launch of 8 of 120"])

    def test_work_that_was_launched_while_a_tool_did_not_look_may_run_afterwards(self):
        for kernel in [*range(4), *range(40, 56), *range(100, 120)]:  # first, after torch's steps, last
            self.change(self.ours.kernels, kernel, launch=None)
        self.assertEqual(self.found(), [])

    def test_lengths_are_not_compared_where_processes_share_the_gpu(self):
        self.ours.kernels[:] = [event._replace(end_ns=event.end_ns + 100_000) for event in self.ours.kernels]
        self.assertEqual(trace_differences.differences(self.theirs, self.ours, lengths=False), [])

    def test_work_that_belongs_to_another_launch(self):
        """Correlations that are mixed up put work into steps that did not launch it."""
        self.ours.kernels[:] = [event._replace(launch=(event.launch[0], event.launch[1] + STEP_NS * (number % 4)))
                                for number, event in enumerate(self.ours.kernels) if number < 16]
        self.assertEqual(self.found(), ["kernel gemm: torch has 4 a step, ringside 2"])

    def test_one_call_that_is_missing(self):
        del self.ours.calls[10 * 5 + 9]
        self.assertEqual(self.found(), ["call cudaMemcpyAsync: torch has 10, ringside 9; 1 only in torch, 0 only in ringside"])

    def test_launches_by_a_library_with_a_runtime_of_its_own_are_only_in_torch(self):
        del self.ours.calls[10 * 5 + 7]
        self.assertEqual(self.found(), [])

    def test_one_call_too_many(self):
        self.ours.calls.insert(10 * 5 + 7, self.ours.calls[10 * 5 + 7])
        self.assertEqual(self.found(), ["call cudaLaunchKernel: torch has 40, ringside 41; 0 only in torch, 1 only in ringside"])

    def test_calls_that_the_other_tool_leaves_out_are_not_compared(self):
        self.ours.calls.append(Event("cudaGetDevice", self.ours.calls[-1].start_ns + 1, self.ours.calls[-1].start_ns + 2))
        self.assertEqual(self.found(), [])

    def test_calls_of_another_length(self):
        self.ours.calls[:] = [event._replace(end_ns=event.end_ns + 50_000) for event in self.ours.calls]
        self.assertEqual([each.split(":")[0] for each in self.found()], ["call cudaLaunchKernel", "call cudaMemcpyAsync"])

    def test_ranges_that_are_missing(self):
        self.ours.ranges.clear()
        self.assertEqual(self.found(), ["range job:forward: torch has 10, ringside 0; 10 only in torch, 0 only in ringside"])

    def test_collectives_of_another_size(self):
        self.change(self.ours.collectives, 12, size=255)
        self.assertEqual(self.found(), ["collective AllReduce: 1 of 10 have another size, the first 256 in torch, 255 in ringside"])

    def test_operations_that_nccl_did_not_tell_are_not_compared_but_one_missing_is(self):
        operations = copy.copy(self.ours.operations)
        self.ours.operations.clear()
        self.assertEqual(self.found(), [])
        self.ours.operations[:] = operations[:12] + operations[13:]
        self.assertEqual(self.found(), ["operation AllReduce: torch has 10, ringside 9; 1 only in torch, 0 only in ringside"])

    def test_a_utilization_that_the_kernels_do_not_have(self):
        self.ours.utilization[:] = [(time_ns, 90) for time_ns, _ in self.ours.utilization]
        self.assertEqual(self.found(), ["utilization: NVML says 90 %, torch's kernels fill 20 %"])

    def test_another_device(self):
        self.ours.device["name"] = "other"
        self.assertEqual(self.found(), ["device: GPU in torch, other in ringside"])

    def test_clocks_that_are_apart(self):
        self.ours.steps.update({number: (start + 2_000_000, end + 2_000_000) for number, (start, end) in self.ours.steps.items()})
        self.assertIn("clocks: -2000000 ns apart", self.found())

    def test_no_step_in_common(self):
        self.ours.steps.clear()
        self.assertEqual(self.found(), ["steps: no step is in both traces"])

    def test_names_are_brought_to_one_form(self):
        self.assertEqual({call_name(name) for name in ("__cudaLaunchKernel_ptsz", "cudaLaunchKernel_v7000", "cudaLaunchKernel")},
                         {"cudaLaunchKernel"})
        self.assertEqual(kernel_name("void f<int, 2>(float const*)"), kernel_name("f<int,2>(float const*)"))


def kineto_event(category, name, ts, dur, tid=1, **args):
    return {"ph": "X", "cat": category, "name": name, "pid": 0 if "kernel" in category or "gpu" in category else 7, "tid": tid, "ts": ts,
            "dur": dur, "args": args}


def kineto_trace(kernels_a_step=3):
    """What the profiler writes of ten steps; in microseconds."""
    events, correlation = [], 0
    for step in range(10):
        begin = DATE_US + step * 10_000
        events.append(kineto_event("user_annotation", f"job:step#{step}", begin, 9_990))
        for number in range(kernels_a_step):
            correlation += 1
            at = begin + 100 + number * 1000
            events.append(kineto_event("cuda_runtime", "cudaLaunchKernel", at, 6, correlation=correlation))
            events.append(kineto_event("kernel", "void gemm<float>(float const*)", at + 20, 500, tid=7, device=0, stream=7,
                                       correlation=correlation))
        correlation += 1
        events.append(kineto_event("cuda_runtime", "cudaMemcpyAsync", begin + 8000, 6, correlation=correlation))
        events.append(kineto_event("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", begin + 8010, 9, tid=7, device=0, stream=7, bytes=4096,
                                   correlation=correlation))
    return {"schemaVersion": 1, "deviceProperties": [{"id": 0, "name": "GPU", "totalGlobalMem": 1000}],
            "distributedInfo": {"backend": "nccl", "rank": 0, "world_size": 1}, "traceEvents": events}


class ComparingScript(lab.Scenario):
    def compare(self, trace, run, expect):
        path = self.folder / f"{self._testMethodName}.pt.trace.json"
        path.write_text(json.dumps(trace))
        return lab.run([sys.executable, "-B", GPU / "compare_trace.py", path, run, lab.RINGSIDE], expect=expect).stdout

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        path = cls.folder / "worker0.pt.trace.json"
        path.write_text(json.dumps(kineto_trace()))
        cls.imported = cls.folder / "imported.ringside"
        lab.run([lab.RINGSIDE, "import", path, "-o", cls.imported])

    def test_a_run_made_of_the_trace_is_equal_to_it(self):
        said = self.compare(kineto_trace(), self.imported, expect=0)
        self.assertIn("kernels: torch 30, ringside 30\ncopies: torch 10, ringside 10\n", said)
        self.assertIn("0 differences", said)

    def test_a_run_with_fewer_kernels_is_not(self):
        said = self.compare(kineto_trace(kernels_a_step=4), self.imported, expect=1)
        self.assertIn("difference: kernel gemm<float>(floatconst*): torch has 4 a step, ringside 3\n", said)
        self.assertIn("calls within torch's steps, cudaLaunchKernel: torch 40, ringside 30\n", said)

    def test_a_recording_is_read_with_all_that_is_compared(self):
        directory = self.training("two_ranks", ranks=2, steps=10)
        for file in sorted(directory.glob("*.db")):
            tables = read_run(query_of(file, [lab.RINGSIDE]))
            for name in ("kernels", "copies", "calls", "ranges", "collectives", "operations"):
                self.assertTrue(getattr(tables, name), name)
            self.assertEqual({event.launch is None for event in tables.kernels + tables.copies}, {False})
            self.assertLessEqual({"cudaLaunchKernel", "cudaMemcpyAsync"}, {event.name for event in tables.calls})
            self.assertEqual({event.name for event in tables.collectives}, {"AllReduce", "Broadcast"})
            self.assertEqual([event.name for event in tables.operations], [event.name for event in tables.collectives])
            self.assertLess(abs(tables.kernels[0].start_ns - time.time_ns()), 600e9)  # since 1970
            self.assertIn("emulated", tables.device["name"])

    def test_times_of_both_forms_of_the_trace_are_the_same(self):
        old, new = kineto_trace(), kineto_trace()
        new["baseTimeNanoseconds"] = DATE_US * 1000
        for event in new["traceEvents"]:
            event["ts"] -= DATE_US
        for name, trace in (("old", old), ("new", new)):
            (self.folder / f"{name}.json").write_text(json.dumps(trace))
        self.assertEqual(read_kineto(self.folder / "old.json"), read_kineto(self.folder / "new.json"))


if __name__ == "__main__":
    lab.main()
