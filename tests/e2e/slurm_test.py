# SPDX-License-Identifier: Apache-2.0
"""The plugin of packaging/slurm in a Slurm of one node, with its own controller: `srun --ringside` records what it starts."""

import os
import pathlib
import shutil
import socket
import subprocess
import time
import unittest

import lab

SOURCE = pathlib.Path(__file__).parents[2] / "packaging/slurm/ringside_spank.c"
NEEDED = ("slurmctld", "slurmd", "srun", "gcc")


def free_port():
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        return server.getsockname()[1]


@unittest.skipUnless(all(shutil.which(tool) for tool in NEEDED) and os.path.exists("/usr/include/slurm/spank.h") and os.geteuid() == 0,
                     "needs root, slurmctld, slurmd, slurm-client and libslurm-dev")
class Slurm(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        plugin = cls.folder / "ringside_spank.so"
        subprocess.run(["gcc", "-std=c11", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", "-o", plugin, SOURCE], check=True)
        cls.installation = cls.folder / "installation"
        cls.installation.symlink_to(lab.BUILD)
        (cls.folder / "plugstack.conf").write_text(f"optional {plugin} prefix={cls.installation}\n")
        cls.write_configuration()
        cls.environment = {**lab.emulated_gpu(), "SLURM_CONF": str(cls.folder / "slurm.conf"), "MASTER_ADDR": "127.0.0.1",
                           "MASTER_PORT": str(free_port())}
        for program in ("slurmctld", "slurmd"):
            started = subprocess.Popen([program, "-D"], env=cls.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            cls.addClassCleanup(started.wait)
            cls.addClassCleanup(started.terminate)
        cls.wait_for_node()

    @classmethod
    def write_configuration(cls):
        node = socket.gethostname()
        for part in ("state", "spool"):
            (cls.folder / part).mkdir()
        (cls.folder / "slurm.conf").write_text(f"""ClusterName=test
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
AuthType=auth/none
CredType=cred/none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SlurmUser=root
StateSaveLocation={cls.folder}/state
SlurmdSpoolDir={cls.folder}/spool
SlurmctldPidFile={cls.folder}/slurmctld.pid
SlurmdPidFile={cls.folder}/slurmd.pid
SlurmctldLogFile={cls.folder}/slurmctld.log
SlurmdLogFile={cls.folder}/slurmd.log
PlugStackConfig={cls.folder}/plugstack.conf
SelectType=select/linear
JobAcctGatherType=jobacct_gather/none
MpiDefault=none
NodeName={node} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
""")

    @classmethod
    def wait_for_node(cls):
        deadline = time.monotonic() + 60
        while subprocess.run(["sinfo", "-h", "-t", "idle", "-o", "%D"], env=cls.environment, capture_output=True, text=True).stdout.strip() != "1":
            if time.monotonic() > deadline:
                raise AssertionError("the node does not come up:\n" + (cls.folder / "slurmctld.log").read_text()[-2000:])
            time.sleep(0.2)

    def srun(self, *words, environment=None):
        return subprocess.run(["srun", *map(str, words)], env={**self.environment, **(environment or {})}, cwd=self.folder, capture_output=True,
                              text=True, timeout=120)

    def test_the_tasks_of_a_step_are_the_ranks_of_a_run(self):
        done = self.srun("-n2", "--overcommit", "--ringside=training %j.ringside", lab.TRAINER, "--steps", 8)
        self.assertEqual(done.returncode, 0, done.stderr)
        runs = list(self.folder.glob("training *.ringside"))
        self.assertEqual(len(runs), 1, list(self.folder.iterdir()))
        self.assertRegex(runs[0].name, r"^training \d+\.ringside$")
        result = lab.report(runs[0])
        self.assertEqual(result["run"]["ranks_present"], [0, 1])
        self.assertEqual(result["run"]["world_size"], 2)

    def test_a_step_without_the_option_is_left_alone(self):
        done = self.srun("/bin/sh", "-c", "echo preloaded: $LD_PRELOAD; echo run: $RINGSIDE_DIR")
        self.assertEqual(done.stdout, "preloaded:\nrun:\n")

    def test_what_the_job_preloads_itself_stays_and_export_none_does_not_matter(self):
        done = self.srun("--ringside=run", "/bin/sh", "-c", "echo $LD_PRELOAD", environment={"LD_PRELOAD": "libm.so.6"})
        self.assertRegex(done.stdout, r"^/\S*libringside_collector\.so:libm\.so\.6\n$")
        done = self.srun("--export=NONE", "--ringside", "/bin/sh", "-c", "echo $RINGSIDE_DIR")
        self.assertRegex(done.stdout, rf"^{self.folder}/ringside-\d+-\d+\.ringside\n$")

    def test_a_missing_installation_is_said_and_the_step_runs(self):
        self.installation.unlink()
        self.addCleanup(self.installation.symlink_to, lab.BUILD)
        done = self.srun("--ringside", "/bin/echo", "it runs")
        self.assertEqual((done.returncode, done.stdout), (0, "it runs\n"))
        self.assertIn("this step is not recorded", done.stderr + (self.folder / "slurmd.log").read_text())


if __name__ == "__main__":
    lab.main()
