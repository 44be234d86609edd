# SPDX-License-Identifier: Apache-2.0
"""`ringside links --live` on trees like /sys of the test's own making: links_command_test.py RINGSIDE SCHEMA."""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import jsonschema

RINGSIDE = sys.argv.pop(1)
SCHEMA = json.loads(pathlib.Path(sys.argv.pop(1)).read_text())


class Links(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.root = pathlib.Path(temporary.name)

    def port(self, name="mlx5_0", **files):
        """Files of a port that is up; counters__x is counters/x."""
        folder = self.root / "class/infiniband" / name / "ports/1"
        texts = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "200 Gb/sec (4X HDR)", "link_layer": "InfiniBand", **files}
        for file, text in texts.items():
            path = folder / file.replace("__", "/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text + "\n")

    def ringside(self, *arguments, expect=0):
        environment = {**os.environ, "RINGSIDE_SYSFS_ROOT": str(self.root)}
        done = subprocess.run([RINGSIDE, "links", *arguments], env=environment, text=True, capture_output=True, timeout=60)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def live(self, *arguments):
        found = json.loads(self.ringside("--live", "--interval", "0.1", "--format", "json", *arguments).stdout)
        jsonschema.validate(found, SCHEMA)
        return found

    def test_a_healthy_port_is_ok(self):
        self.port(counters__port_xmit_data="26540356890", counters__link_downed="3")
        found = self.live()
        self.assertEqual(found["health"], "ok")
        self.assertEqual(found["links"][0]["port"], "mlx5_0:1")
        self.assertEqual(found["links"][0]["rate_mbps"], 200000)
        self.assertEqual(found["links"][0]["gained"]["link_downed"], 0, "what it counted before is history")
        self.assertEqual(found["findings"], [])

    def test_the_exit_code_tells_a_script(self):
        self.port()
        self.ringside("--live", "--interval", "0.1", "--fail-on", "warning")
        self.port("mlx5_1", state="2: INIT")
        self.ringside("--live", "--interval", "0.1", "--fail-on", "warning", expect=1)
        self.ringside("--live", "--interval", "0.1", "--fail-on", "problem")

    def test_why_something_is_not_measured_is_told_once(self):
        for number in range(8):
            self.port(f"mlx5_{number}", counters__link_downed="N/A (no PMA)")
        text = self.ringside("--live", "--count", "1").stdout
        self.assertEqual(text.count("N/A (no PMA)"), 1, text)
        self.assertIn("all 8 ports: link_downed", text)

    def test_one_file_that_fails_costs_one_counter(self):
        self.port(counters__port_xmit_data="1000", counters__link_downed="0")
        (self.root / "class/infiniband/mlx5_0/ports/1/counters/symbol_error").mkdir()  # reading it fails with EISDIR
        link = self.live()["links"][0]
        self.assertEqual((link["state"], link["gained"]["link_downed"]), ("ACTIVE", 0))
        self.assertIn("symbol_error", link["not_measured"]["symbol_errors"])

    def test_a_port_without_a_subnet_manager_is_a_warning(self):
        self.port()
        self.port("mlx5_1", state="2: INIT")
        found = self.live()
        self.assertEqual(found["health"], "warning")
        self.assertEqual([finding["rule"] for finding in found["findings"]], ["rdma_port_down"])
        self.assertIn("subnet manager", found["findings"][0]["title"])

    def test_what_cannot_be_measured_is_said_and_is_not_0(self):
        self.port(counters__port_xmit_data="4294967295", counters__link_downed="N/A (no PMA)")
        link = self.live()["links"][0]
        self.assertIsNone(link["gained"]["tx_bytes"])
        self.assertIn("largest value", link["not_measured"]["tx_bytes"])
        self.assertIn("N/A (no PMA)", link["not_measured"]["link_downed"])
        self.assertIsNone(link["tx_utilization"]["mean"])
        text = self.ringside("--live", "--count", "1").stdout
        self.assertIn("Not measured", text)
        self.assertIn("largest value", text)

    def test_prometheus_has_a_line_a_value(self):
        self.port(counters__port_xmit_data="1000")
        text = self.ringside("--live", "--interval", "0.1", "--format", "prometheus").stdout
        self.assertIn("# TYPE ringside_port_gained gauge", text)
        self.assertRegex(text, r'ringside_port_gained\{host="[^"]*",port="mlx5_0:1",counter="tx_bytes"\} 0\n')
        self.assertNotIn("rx_bytes", text)

    def perfquery(self, name, age, **counters):
        """What perfquery -x printed of a switch's port, that many seconds ago."""
        file = self.root / name
        file.write_text("# Port extended counters: Lid 2052 port 1 (CapMask: 0x5300)\nPortSelect:......................1\n"
                        + "".join(f"{counter}:{'.' * (32 - len(counter))}{value}\n" for counter, value in counters.items()))
        os.utime(file, (1_700_000_000 - age, 1_700_000_000 - age))
        return file

    def test_one_reading_of_a_switch_is_history_and_two_tell_what_grows(self):
        before = self.perfquery("before", 60, PortXmitData=36298026860928, PortXmitPkts=101733204203, PortXmitDiscards=20046,
                                LinkDownedCounter=1, PortRcvSwitchRelayErrors=7)
        once = json.loads(self.ringside("--from", before, "--format", "json").stdout)
        jsonschema.validate(once, SCHEMA)
        self.assertEqual((once["health"], [each["rule"] for each in once["findings"]]), ("warning", ["rdma_link_errors"]))
        self.assertEqual(once["links"][0]["health"], "warning", "the port that the finding names")
        self.assertIn("fabric lid2052:1 had counted 1 loss of the link, 20046 packets discarded", once["findings"][0]["title"])
        after = self.perfquery("after", 0, PortXmitData=36298026860928 + 250_000_000, PortXmitPkts=101733204203, PortXmitDiscards=20046,
                               LinkDownedCounter=1, PortRcvSwitchRelayErrors=7)
        twice = json.loads(self.ringside("--from", before, after, "--format", "json").stdout)
        self.assertEqual((twice["health"], twice["links"][0]["health"], twice["findings"]), ("ok", "ok", []))
        self.assertEqual(twice["links"][0]["gained"]["tx_bytes"], 1_000_000_000)
        self.assertIn("not newer", self.ringside("--from", after, before, expect=3).stderr)

    def test_one_clean_reading_of_a_switch_is_no_health(self):
        once = self.perfquery("once", 0, PortXmitData=1, PortXmitPkts=1, PortXmitDiscards=0)
        self.assertIn("Links: not measured", self.ringside("--from", once).stdout)

    def test_what_is_no_output_of_a_tool_is_refused_with_what_is_read(self):
        (self.root / "other").write_text("# PortSamplesControl: Lid 1 port 1\nOpCode:.........4\n")
        (self.root / "empty").write_text("")
        for name, why in (("other", "no output of a tool"), ("empty", "is empty"), ("none", "cannot read")):
            said = self.ringside("--from", self.root / name, expect=3).stderr
            self.assertIn(why, said)
            self.assertIn(str(self.root / name), said)
        self.assertIn("iblinkinfo > FILE", self.ringside("--from", self.root / "other", expect=3).stderr)

    def test_a_port_of_the_fabric_that_has_no_number_is_none(self):
        for lid, port in (("\x1b[31m2", "1"), ("2", "x" * 100_000), ("", ""), ("-2", "1")):
            (self.root / "hostile").write_text(f"# Port counters: Lid {lid} port {port} (CapMask: 0x5300)\nPortXmitData:....7\n")
            self.assertIn("no output of a tool", self.ringside("--from", self.root / "hostile", expect=3).stderr)

    def test_a_file_is_named_by_whoever_gives_it(self):
        (self.root / "dump.txt").write_text("NIC statistics:\n     link_down_events_phy: 0\n     rx_packets_phy: 7\n")
        for argument, host, port in (("dump.txt", "host", "dump"), ("eth2=dump.txt", "host", "eth2"), ("gpu7/eth2=dump.txt", "gpu7", "eth2"),
                                     ("gpu7/=dump.txt", "gpu7", "dump")):
            name, mark, file = argument.rpartition("=")
            link = json.loads(self.ringside("--format", "json", "--from", f"{name}{mark}{self.root / file}").stdout)["links"][0]
            self.assertEqual((link["host"], link["port"]), (host, port))

    def test_what_is_only_measured_live_takes_no_files(self):
        self.assertIn("does not know", self.ringside("--live", "--from", self.root / "x", expect=2).stderr)

    def test_without_a_device_or_a_run_it_says_what_is_missing(self):
        self.assertIn("no RDMA device", self.ringside("--live", expect=3).stderr)
        self.assertIn("--from", self.ringside(expect=2).stderr)


if __name__ == "__main__":
    unittest.main()
