# SPDX-License-Identifier: Apache-2.0
"""Messages of `ringside record` about ranks without the collector: record_missed_test.py RINGSIDE."""

import os
import shutil
import subprocess
import sys

import cases

RINGSIDE = os.path.abspath(sys.argv.pop(1))
# A rank is looked at twice before it counts as missed: after 0.4, 1.2, 2.8 and 6 s, and later on a busy machine.
SECONDS = 7
MISSED_SECONDS = 14


class Missed(cases.FolderCase):
    def setUp(self):
        super().setUp()
        (self.folder / "tools").mkdir()
        self.collector = cases.make_collector(self.folder / "tools" / "collector.so")

    def record_command(self, *words):
        environment = {**os.environ, "RINGSIDE_COLLECTOR": str(self.collector)}
        return subprocess.run([RINGSIDE, "record", "-o", self.folder / "run.ringside", *words], env=environment, text=True, capture_output=True,
                              timeout=60)

    def record(self, script, *options):
        """What it says of a job that ends with 7."""
        done = self.record_command(*options, "--", "sh", "-c", script + "\nexit 7")
        self.assertEqual(done.returncode, 7, done.stderr)
        return done.stderr

    def test_ranks_in_a_container_without_the_collector_are_named(self):
        if subprocess.run(["unshare", "-rm", "mount", "-t", "tmpfs", "none", self.folder / "tools"], capture_output=True).returncode != 0:
            self.skipTest("there are no user namespaces")
        inside = f"mount -t tmpfs none {self.folder}/tools; for rank in 2 3; do RANK=$rank sleep {MISSED_SECONDS} & done; wait"
        said = self.record(f"unshare -rm sh -c '{inside}'")
        self.assertRegex(said, rf"not recorded: ranks 2 and 3 \(sleep\).*{self.collector} does not exist.*\n.*under the same path")

    def test_the_launcher_of_a_container_does_not_count_for_its_rank(self):
        """As srun starts apptainer: the rank's variable is there, and the collector, before the container is."""
        if subprocess.run(["unshare", "-rm", "true"], capture_output=True).returncode != 0:
            self.skipTest("there are no user namespaces")
        launcher = self.folder / "launcher"
        contained = f"unshare -rm sh -c 'mount -t tmpfs none {self.folder}/tools; sleep {MISSED_SECONDS}'; true\n"
        launcher.write_text(contained)
        self.assertRegex(self.record(f"SLURM_PROCID=4 sh {launcher}"), r"not recorded: rank 4 \((sleep|sh)\).*does not exist")
        launcher.write_text(f": >{self.folder}/run.ringside/$(hostname)-$$.db; {contained}")
        self.assertNotIn("not recorded: rank", self.record(f"SLURM_PROCID=4 sh {launcher}"), "a helper in a sandbox of a recorded rank")

    def test_ranks_of_another_c_library_are_named(self):
        if shutil.which("musl-gcc") is None:
            self.skipTest("there is no musl")
        subprocess.run(["musl-gcc", "-x", "c", "-", "-o", self.folder / "rank"], input=b"#include <unistd.h>\nint main(void) { sleep(%d); return 0; }" % MISSED_SECONDS, check=True)
        self.assertRegex(self.record(f"RANK=3 {self.folder}/rank"), r"not recorded: rank 3 \(rank\).*musl.*\n.*image with glibc")
        self.assertRegex(self.record_command("-q", self.folder / "rank").stderr, r"nothing recorded: \S*rank is a program for the C library musl")

    def test_ranks_whose_launcher_dropped_the_variable_are_named(self):
        said = self.record(f"for rank in 0 1 2 3 4; do OMPI_COMM_WORLD_RANK=$rank env -u LD_PRELOAD sleep {MISSED_SECONDS} & done; wait")
        self.assertRegex(said, r"not recorded: ranks 0 to 4 \(sleep\).*LD_PRELOAD.*\n.*ringside env")

    def test_a_program_that_drops_the_variable_later_was_not_reached(self):
        """It is looked at twice before: it counts as reached by then."""
        drop = f"import os, time; time.sleep(2); os.execvpe('sleep', ['sleep', '{MISSED_SECONDS}'], {{'RANK': '6'}})"
        self.assertRegex(self.record(f'RANK=6 {sys.executable} -c "{drop}"'), r"not recorded: rank 6 \(sleep\)")

    def test_a_rank_that_was_reached_is_not_missed(self):
        wrapped = f"env -u LD_PRELOAD RANK=0 sh -c \"LD_PRELOAD=$LD_PRELOAD sleep {SECONDS}; true\""
        for script in (f"RANK=0 sleep {SECONDS}", wrapped, f"env -u LD_PRELOAD sleep {SECONDS}"):
            self.assertNotIn("not recorded: rank", self.record(script), script)

    def test_it_is_a_warning_so_quiet_does_not_hide_it(self):
        self.assertIn("not recorded: rank 5 (sleep)", self.record(f"PMI_RANK=5 env -u LD_PRELOAD sleep {MISSED_SECONDS}", "-q"))

    def test_processes_with_cuda_whose_environment_was_dropped_are_counted(self):
        cuda = cases.make_collector(self.folder / "libcudart.so.12")
        said = self.record(f"for worker in 1 2; do env -i LD_PRELOAD={cuda} sleep {MISSED_SECONDS} & done; env -i sleep {MISSED_SECONDS}; wait")
        self.assertRegex(said, r"not recorded: 2 processes with CUDA or NCCL \(sleep\): the launcher did not pass on LD_PRELOAD\n.*ringside env")
        self.assertEqual(said.count("not recorded: 2"), 1, "a program without CUDA has nothing to record")

    def test_profile_off_misses_nobody(self):
        self.assertNotIn("not recorded: rank", self.record(f"RANK=0 env -u LD_PRELOAD sleep {SECONDS}", "--profile", "off"))


if __name__ == "__main__":
    cases.run_at_once(Missed)
