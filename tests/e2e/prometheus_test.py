# SPDX-License-Identifier: Apache-2.0
"""The figures of a running job in other systems: Debian's own Prometheus reads `ringside serve`, answers each query of the dashboard
and raises the alerts that are in examples/prometheus."""

import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import unittest
import urllib.error
import urllib.parse
import urllib.request

import lab

EXAMPLES = lab.ROOT / "examples" / "prometheus"
# A rank that is late for longer than a step takes otherwise: far above 10 %, whatever else the machine does.
LATE = "late_rank:rank=1,ms=60"


KEPT_WAITING_S = 8  # less than a connection might once stay that says nothing


def get(url):
    with urllib.request.urlopen(url, timeout=lab.WAIT_S) as answer:
        return answer.read().decode()


def queries():
    """(title, expression) of each query of the dashboard, for one run."""
    board = json.loads((EXAMPLES / "dashboard.json").read_text())
    return [(panel["title"], target["expr"].replace("$run", "late.ringside")) for panel in board["panels"] for target in panel["targets"]]


class Fleet(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.directory = cls.folder / "late.ringside"
        command = [lab.RINGSIDE, "record", "-o", cls.directory, "--profile", "standard", "--",
                   *lab.trainer_command(100000, [LATE], ranks=2, extra=("--timeout", 3600))]
        cls.job = subprocess.Popen([str(word) for word in command], env=lab.emulated_gpu(), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                   start_new_session=True)
        cls.addClassCleanup(cls.end_job)

    @classmethod
    def end_job(cls):
        os.killpg(cls.job.pid, signal.SIGKILL)
        cls.job.wait(timeout=lab.WAIT_S)

    def start(self, *words, **environment):
        process = subprocess.Popen([str(word) for word in words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env={**os.environ, **environment})

        def end():
            process.kill()
            process.communicate(timeout=lab.WAIT_S)
        self.addCleanup(end)
        return process

    def serve(self, *options):
        """Starts `ringside serve` on a free port of the loopback; returns the process and its address."""
        process = self.start(lab.RINGSIDE, "serve", self.directory, "--listen", "127.0.0.1:0", *options)
        line = process.stderr.readline()
        if "no HTTP server" in line:
            self.skipTest("this build has no HTTP server: it was built without libmicrohttpd")
        found = re.search(r"http://127\.0\.0\.1:\d+/metrics", line)
        self.assertTrue(found, line)
        return process, found[0]

    def test_serve_answers_only_for_its_figures_and_only_here(self):
        _, url = self.serve()
        self.until("the figures", lambda: "ringside_rank_step_seconds{" in get(url))
        for wrong, code in ((url.replace("/metrics", "/"), 404), (url + "/../../etc/passwd", 404)):
            with self.assertRaises(urllib.error.HTTPError) as refused:
                get(wrong)
            self.assertEqual(refused.exception.code, code)
        with self.assertRaises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(urllib.request.Request(url, data=b"x", method="POST"), timeout=lab.WAIT_S)
        self.assertEqual(refused.exception.code, 405)
        port = url.split(":")[2].split("/")[0]
        done = lab.run([lab.RINGSIDE, "serve", self.directory, "--listen", f"127.0.0.1:{port}"], expect=None)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot listen on 127.0.0.1 port", done.stderr)
        done = lab.run([lab.RINGSIDE, "serve", self.directory, "--listen", "somewhere"], expect=2)
        self.assertIn("127.0.0.1:9464", done.stderr)

    def test_serve_answers_no_page_that_gave_its_name_this_address(self):
        _, url = self.serve()
        port = url.split(":")[2].split("/")[0]
        for host in (f"127.0.0.1:{port}", "localhost", f"[::1]:{port}", socket.gethostname()):
            self.until("an answer", lambda host=host: self.asked_as(url, host) == 200)
        for host in ("attacker.example", f"localhost.attacker.example:{port}", "127.0.0.1.attacker.example"):
            self.assertEqual(self.asked_as(url, host), 403, host)

    @staticmethod
    def asked_as(url, host):
        try:
            return urllib.request.urlopen(urllib.request.Request(url, headers={"Host": host}), timeout=lab.WAIT_S).status
        except urllib.error.HTTPError as refused:
            return refused.code

    def test_connections_that_say_nothing_keep_nobody_away(self):
        _, url = self.serve()
        address = ("127.0.0.1", int(url.split(":")[2].split("/")[0]))
        idle = [socket.create_connection(address, timeout=lab.WAIT_S) for _ in range(40)]
        for each in idle:
            self.addCleanup(each.close)
        with urllib.request.urlopen(url, timeout=KEPT_WAITING_S) as answer:
            self.assertEqual(answer.status, 200)

    @unittest.skipUnless(shutil.which("promtool"), "needs promtool (Debian: prometheus; tests/support/install_packages.sh --lab)")
    def test_promtool_takes_the_figures_and_the_rules(self):
        _, url = self.serve()
        text = self.until("the late rank", lambda: (page := get(url)) and "ringside_rank_late_seconds{" in page and page)
        checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))
        lab.run(["promtool", "check", "rules", EXAMPLES / "alerts.yml"])
        lab.run(["promtool", "check", "config", EXAMPLES / "prometheus.yml"])

    @unittest.skipUnless(shutil.which("prometheus"), "needs prometheus (tests/support/install_packages.sh --lab)")
    def test_prometheus_reads_them_and_answers_the_dashboard(self):
        _, url = self.serve()
        self.until("the alarm", lambda: 'ringside_alarms{run="late.ringside",kind="straggler"} 1' in get(url))
        config = self.folder / "prometheus.yml"
        text = (EXAMPLES / "prometheus.yml").read_text().replace("127.0.0.1:9464", url.split("/")[2]).replace("5s", "1s")
        config.write_text(text)
        rules = (EXAMPLES / "alerts.yml").read_text()
        (self.folder / "alerts.yml").write_text(re.sub(r"for: \d+m", "for: 1s", rules))
        log = open(self.folder / "prometheus.log", "w+", encoding="utf-8")
        self.addCleanup(log.close)
        server = subprocess.Popen(["prometheus", f"--config.file={config}", f"--storage.tsdb.path={self.folder / 'tsdb'}",
                                   "--web.listen-address=127.0.0.1:0", "--log.level=info"], stdout=log, stderr=log)
        self.addCleanup(lambda: (server.kill(), server.wait(timeout=lab.WAIT_S)))
        address = self.until("Prometheus", lambda: re.search(r'msg="?Listening on"? address=(127\.0\.0\.1:\d+)',
                                                             pathlib.Path(log.name).read_text()))[1]

        def ask(path, **parameters):
            try:
                return json.loads(get(f"http://{address}/api/v1/{path}?{urllib.parse.urlencode(parameters)}"))["data"]
            except (urllib.error.URLError, ConnectionError):
                return None
        for title, expression in queries():
            found = self.until(title, lambda: (data := ask("query", query=expression)) and data["result"])
            self.assertTrue(found, title)
        latest = ask("query", query="topk(1, ringside_rank_late_seconds)")["result"]
        self.assertEqual(latest[0]["metric"]["rank"], "1")

        def firing():
            data = ask("alerts")
            return data and [each for each in data["alerts"] if each["state"] == "firing"]
        self.assertEqual({each["labels"]["alertname"] for each in self.until("the alert", firing)}, {"RingsideStraggler"})

    def test_a_directory_without_a_job_is_named(self):
        missing = self.start(lab.RINGSIDE, "serve", self.folder / "misspelt.ringside", "--listen", "127.0.0.1:0")
        self.assertIn("misspelt.ringside", missing.stderr.readline())
        self.assertEqual(3, missing.wait(30))
        (self.folder / "empty.ringside").mkdir()
        empty = self.start(lab.RINGSIDE, "serve", self.folder / "empty.ringside", "--listen", "127.0.0.1:0")
        self.assertIn("empty.ringside yet", empty.stderr.readline() + empty.stderr.readline())


if __name__ == "__main__":
    lab.main()
