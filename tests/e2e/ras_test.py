# SPDX-License-Identifier: Apache-2.0
"""A job hangs: `ringside record` asks NCCL's RAS, here a server of the test that speaks its protocol, and `ringside hang` shows the
answer beside the recording, says where the two contradict, and why RAS was not asked where it was not."""

import json
import os
import signal
import socket
import subprocess

import jsonschema

import lab
import ras_server

SCHEMA = json.loads((lab.ROOT / "analyzer" / "hang" / "ringside-hang-1.schema.json").read_text())
LAUNCHED = 40


class Ras(lab.Scenario):
    def setUp(self):
        self.run = self.folder / f"{self._testMethodName}.ringside"
        self.stuck = self.draw.randrange(lab.RANKS)
        self.behind = self.stuck

    def counts(self):
        """What a RAS would say: one rank has launched fewer. Only ranks that have begun are members."""
        pids = {rank: pid for rank, pid in lab.rank_processes(self.job).items()}
        return {rank: LAUNCHED - (rank == self.behind) for rank in pids}, pids

    def server(self, **options):
        server = ras_server.RasServer(self.counts, **options)
        self.addCleanup(server.close)
        return server

    def hang(self, environment):
        """Returns what `ringside hang` says of RAS once it was asked, or could not be."""
        command = [lab.RINGSIDE, "record", "-o", self.run, "--hang-timeout", "2s", "--",
                   *lab.trainer_command(100000, [f"stuck_loader:rank={self.stuck},step=10"], extra=("--timeout", 3600))]
        self.job = subprocess.Popen([str(word) for word in command], env={**lab.emulated_gpu(), **environment},
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
        self.addCleanup(self.end)
        self.until("a file of RAS", lambda: (self.run / "ras").is_dir() and list((self.run / "ras").iterdir()))
        self.until("a verdict", lambda: self.report()["verdict"]["kind"] == "missing")
        report = self.report()
        jsonschema.validate(report, SCHEMA)
        self.assertIsNone(self.job.poll(), "the job ended")
        witness, = [each for each in report["witnesses"] if each["source"] == "ras"]
        return witness

    def report(self):
        return json.loads(lab.run([lab.RINGSIDE, "hang", self.run, "--format", "json"]).stdout)

    def end(self):
        if self.job.poll() is None:
            os.killpg(self.job.pid, signal.SIGKILL)
        self.job.communicate(timeout=lab.WAIT_S)

    def test_json_that_agrees(self):
        server = self.server()
        witness = self.hang({"NCCL_RAS_ADDR": server.address})
        self.assertEqual((witness["agreement"], witness["blamed"]), ("agrees", [self.stuck]), witness)
        self.assertEqual([file.suffix for file in (self.run / "ras").iterdir()], [".json"])
        self.assertEqual(server.answered, 1, "it was asked again for the same suspicion")
        text = lab.run([lab.RINGSIDE, "hang", self.run]).stdout
        self.assertIn(f"rank {self.stuck} launched {LAUNCHED - 1},", text)
        self.job.send_signal(signal.SIGTERM)
        self.assertIn("NCCL's RAS was asked", self.job.communicate(timeout=lab.WAIT_S)[1])

    def test_text_of_older_versions_that_contradicts(self):
        self.behind = (self.stuck + 1) % lab.RANKS
        witness = self.hang({"NCCL_RAS_ADDR": self.server(knows_json=False).address})
        self.assertEqual((witness["agreement"], witness["blamed"]), ("disagrees", [self.behind]), witness)
        self.assertIn(f"it says that rank {self.behind} is missing; this recording says that rank {self.stuck} is missing",
                      witness["comparison"])
        self.assertEqual([file.suffix for file in (self.run / "ras").iterdir()], [".txt"])

    def test_where_it_is_off_the_reason_is_shown(self):
        witness = self.hang({"NCCL_RAS_ENABLE": "0"})
        self.assertEqual(witness["not_available"], "not asked: NCCL_RAS_ENABLE is 0")
        self.assertIn("NCCL's RAS: not asked: NCCL_RAS_ENABLE is 0", lab.run([lab.RINGSIDE, "hang", self.run]).stdout)

    def test_where_nothing_listens_the_reason_is_shown(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
            witness = self.hang({"NCCL_RAS_ADDR": f"127.0.0.1:{port}"})
        self.assertIn(f"nothing listens at 127.0.0.1:{port}", witness["not_available"])

    def test_a_server_that_never_answers_delays_nothing(self):
        with socket.create_server(("127.0.0.1", 0)) as silent:
            command = [lab.RINGSIDE, "record", "-o", self.run, "--hang-timeout", "2s", "--",
                       *lab.trainer_command(100000, [f"stuck_loader:rank={self.stuck},step=10"], extra=("--timeout", 3600))]
            self.job = subprocess.Popen([str(word) for word in command],
                                        env={**lab.emulated_gpu(), "NCCL_RAS_ADDR": f"localhost:{silent.getsockname()[1]}"},
                                        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, start_new_session=True)
            self.addCleanup(self.end)
            connection, _ = silent.accept()
            with connection:
                self.until("a verdict", lambda: list(self.run.glob("*.db")) and self.report()["verdict"]["kind"] == "missing")
                self.job.send_signal(signal.SIGTERM)
                self.job.communicate(timeout=lab.WAIT_S)  # it ends with its command, not with the conversation


if __name__ == "__main__":
    lab.main()
