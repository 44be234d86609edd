# SPDX-License-Identifier: Apache-2.0
"""NCCL's own examples, unmodified, on the CPU platform under the collector. They check their results; the trace must show the
communicators and calls that their sources make."""

import shutil

import third_party as tp
from third_party import lab

SOURCES = tp.sources("RINGSIDE_NCCL")
# Folder, program, devices, what it prints when its data is right, calls on each rank. ring_pattern takes 4 GiB for each device.
EXAMPLES = (
    ("01_communicators/01_multiple_devices_single_process", "multiple_devices_single_process", 4, "SUCCESS", {}),
    ("01_communicators/02_one_device_per_pthread", "one_device_per_pthread", 4, "Success", {}),
    ("01_communicators/03_one_device_per_process_mpi", "one_device_per_process_mpi", 4, "cleaned up properly", {}),
    ("02_point_to_point/01_ring_pattern", "ring_pattern", 2, "SUCCESS - All GPUs received correct data", {"ncclSend": 1, "ncclRecv": 1}),
    ("03_collectives/01_allreduce", "allreduce", 4, "Example completed successfully", {"ncclAllReduce": 1}),
    ("04_user_buffer_registration/01_allreduce", "allreduce_ub", 4, "Results verified correctly", {"ncclAllReduce": 1}),
    ("05_symmetric_memory/01_allreduce", "allreduce_sm", 4, "Results verified correctly", {"ncclAllReduce": 1}),
)
CALLS = """
SELECT m.rank AS rank, s.text AS call, count(*) AS calls FROM collective_call AS c
  JOIN communicator AS m ON m.process_id = c.process_id AND m.id = c.communicator_id
  JOIN string AS s ON s.process_id = c.process_id AND s.id = c.api_id GROUP BY 1, 2
"""


class NcclExamples(lab.Scenario):
    def test_they_work_and_are_recorded(self):
        copy = self.folder / "examples"  # they build beside their sources
        for folder in ("examples", "makefiles"):
            shutil.copytree(SOURCES / folder, self.folder / folder)
        home = tp.cuda_home(lab.BUILD / "third_party")
        for folder, program, devices, success, calls in EXAMPLES:
            with self.subTest(example=program):
                tp.make(copy / folder, f"CUDA_HOME={home}", f"NCCL_HOME={home}", "MPI_HOME=/usr")
                run = self.folder / f"{program}.ringside"
                processes = devices if program.endswith("_mpi") else 1
                done = lab.record(run, tp.on(processes, [copy / folder / program]),
                                  environment=tp.environment(RINGSIDE_PLATFORM_DEVICES=str(devices)))
                self.assertIn(success, done.stdout)
                members = tp.query(run, "SELECT rank, size, device FROM communicator ORDER BY rank")
                self.assertEqual([(row["rank"], row["size"], row["device"]) for row in members],
                                 [(rank, devices, rank) for rank in range(devices)])
                found = {(row["rank"], row["call"]): row["calls"] for row in tp.query(run, CALLS)}
                self.assertEqual(found, {(rank, call): number for rank in range(devices) for call, number in calls.items()})


if __name__ == "__main__":
    lab.main()
