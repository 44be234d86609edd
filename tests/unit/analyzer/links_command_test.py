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

    def test_what_a_port_is_there_for_is_said(self):
        ethernet = {"link_layer": "Ethernet", "rate": "200 Gb/sec (4X HDR)"}
        self.port("mlx5_0")
        self.port("mlx5_1", state="1: DOWN", phys_state="3: Disabled")
        self.port("mlx5_2", rate="10 Gb/sec (1X QDR)")
        self.port("mlx5_bond_0", **ethernet)
        self.port("mlx5_stor0", **ethernet)
        expected = {"mlx5_0:1": "compute rail", "mlx5_1:1": "switched off", "mlx5_2:1": "management", "mlx5_bond_0:1": "bond",
                    "mlx5_stor0:1": "storage"}
        self.assertEqual({link["port"]: link["role"] for link in self.live()["links"]}, expected)
        text = " ".join(self.ringside("--live", "--count", "1").stdout.split())
        self.assertIn("management: ", text)
        self.assertNotIn("compute rail: ", text)

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

    # Bad input: whole ports are judged, and each loss is one sentence.

    IBSTAT = """CA '{name}'
\tCA type: MT4129
\tNumber of ports: 1
\tFirmware version: 28.39.1002
\tNode GUID: 0x{guid:016x}
\tPort 1:
\t\tState: {state}
\t\tPhysical state: LinkUp
\t\tRate: 400
\t\tBase lid: 7
\t\tPort GUID: 0x{guid:016x}
\t\tLink layer: InfiniBand
"""

    def written(self, name, text):
        path = self.root / name
        path.write_bytes(text.encode())
        return path

    def judged(self, *files):
        found = json.loads(self.ringside("--format", "json", "--from", *files).stdout)
        jsonschema.validate(found, SCHEMA)
        return {f"{link['host']} {link['port']}": link["state"] for link in found["links"]}, found["losses"]

    def test_files_that_cannot_be_read_cost_one_sentence_each(self):
        good = self.written("good", self.IBSTAT.format(name="mlx5_0", guid=1, state="Active"))
        links, losses = self.judged(good, self.written("bad", "bash: ibstat: command not found\n"), self.written("empty", ""), self.root / "none")
        self.assertEqual(links, {"host mlx5_0:1": "ACTIVE"})
        self.assertEqual(len(losses), 3, losses)
        for loss, (name, why) in zip(sorted(losses), (("bad", "no output of a tool"), ("empty", "is empty"), ("none", "cannot read"))):
            self.assertIn(name, loss)
            self.assertIn(why, loss)
        self.assertIn("Lost:", self.ringside("--from", good, self.root / "empty").stdout)
        self.assertEqual(self.judged(good)[1], [], "a good file alone loses nothing")

    def test_a_file_that_ends_within_a_line_loses_that_line(self):
        text = "link mlx5_0/1 rx_write_requests 12 local_ack_timeout_err 0\nlink mlx5_1/1 local_ack_timeout_err 0 rnr_nak_retry_err 5"
        links, losses = self.judged(self.written("cut", text))
        self.assertEqual(list(links), ["host mlx5_0:1"])
        self.assertEqual([loss for loss in losses if "its end is missing" not in loss], [])
        self.assertEqual(len(losses), 1)

    def test_cut_json_gives_the_ports_that_are_whole(self):
        ports = [{"ifname": f"mlx5_{i}", "port": 1, "local_ack_timeout_err": 0} for i in range(3)]
        text = json.dumps(ports)
        self.assertEqual(self.judged(self.written("whole", text)), ({f"host mlx5_{i}:1": "not measured" for i in range(3)}, []))
        links, losses = self.judged(self.written("cut", text[:-5]))
        self.assertEqual(list(links), ["host mlx5_0:1", "host mlx5_1:1"])
        self.assertEqual(["its end is missing" in loss for loss in losses], [True])

    def test_cut_json_of_one_port_gives_the_values_that_are_whole(self):
        sections = {"Operational Info": {"State": "Active", "Physical state": "LinkUp", "Speed": "IB-NDR"}, "Module Info": {"Temperature [C]": "60"}}
        text = json.dumps({"status": {"code": 0}, "result": {"output": sections}})
        self.assertEqual(self.judged(self.written("whole", text)), ({"host whole": "ACTIVE"}, []))
        links, losses = self.judged(self.written("cut", text[:-30]))
        self.assertEqual(links, {"host cut": "ACTIVE"})
        self.assertEqual(["its end is missing" in loss for loss in losses], [True])

    def test_mlxlink_that_failed_is_no_port(self):
        sections = {"Operational Info": {"State": "Active", "Physical state": "LinkUp", "Speed": "IB-NDR"}}
        failed = json.dumps({"status": {"code": 3, "message": "No such device"}, "result": {"output": sections}})
        done = self.ringside("--from", self.written("failed", failed), expect=3)
        self.assertIn("mlxlink failed with code 3: No such device", done.stderr)
        good = json.dumps({"status": {"code": 0}, "result": {"output": sections}})
        links, losses = self.judged(self.written("both", failed + "\n" + good))
        self.assertEqual(list(links.values()), ["ACTIVE"])
        self.assertEqual(["mlxlink failed with code 3" in loss for loss in losses], [True])

    def test_addresses_of_interfaces_are_no_counters(self):
        addresses = json.dumps([{"ifindex": 2, "ifname": "eth0", "flags": ["UP"], "mtu": 1500, "operstate": "UP", "addr_info": []}])
        done = self.ringside("--from", self.written("addresses", addresses), expect=3)
        self.assertIn("addresses is no output of a tool that is known here", done.stderr)

    def test_outputs_of_several_ports_in_one_file_are_several_ports(self):
        ports = ("mlx5_0", "Active"), ("mlx5_1", "Polling")
        texts = [f"Operational Info\n----------------\nState : {state}\nPhysical state : LinkUp\nSpeed : IB-NDR\n" for _, state in ports]
        expected = dict(zip(("host mlx5_0", "host mlx5_1"), ("ACTIVE", "DOWN")))
        named = "".join(f"{name}\n\n{text}\n" for (name, _), text in zip(ports, texts))
        self.assertEqual(self.judged(self.written("loop", named)), (expected, []))
        numbered = {f"host all#{i}": state for i, state in enumerate(expected.values(), 1)}
        self.assertEqual(self.judged(self.written("all", "".join(texts))), (numbered, []))
        documents = [{"result": {"output": {"Operational Info": {"State": state, "Physical state": "LinkUp"}}}} for _, state in ports]
        self.assertEqual(self.judged(self.written("all", "\n".join(map(json.dumps, documents)))), (numbered, []))
        counters = "NIC statistics:\n     rx_bytes_phy: 7\n"
        self.assertEqual(list(self.judged(self.written("all", f"eth2\n{counters}eth3\n{counters}"))[0]), ["host eth2", "host eth3"])

    def test_the_same_text_twice_is_one_reading(self):
        once = (pathlib.Path(__file__).parent / "tool_output/ibqueryerrors.txt").read_text()
        said = [json.loads(self.ringside("--format", "json", "--from", self.written("text", text)).stdout)["findings"] for text in (once, once + once)]
        self.assertTrue(said[0])
        self.assertEqual([each["title"] for each in said[0]], [each["title"] for each in said[1]])

    def test_the_line_ends_and_the_mark_of_another_system_change_nothing(self):
        text = self.IBSTAT.format(name="mlx5_0", guid=1, state="Down")
        self.assertEqual(self.judged(self.written("windows", "\ufeff" + text.replace("\n", "\r\n"))), ({"host mlx5_0:1": "DOWN"}, []))
        for encoding in ("utf-16-le", "utf-16-be"):  # as PowerShell writes it
            file = self.written("powershell", "")
            file.write_bytes(("\ufeff" + text.replace("\n", "\r\n")).encode(encoding))
            self.assertEqual(self.judged(file), ({"host mlx5_0:1": "DOWN"}, []), encoding)

    def test_several_hosts_in_one_file_are_several_hosts(self):
        texts = {host: self.IBSTAT.format(name="mlx5_0", guid=i, state=state) for i, (host, state) in enumerate((("gpu7", "Active"), ("gpu8", "Down")), 1)}
        expected = {"gpu7 mlx5_0:1": "ACTIVE", "gpu8 mlx5_0:1": "DOWN"}
        pdsh = "".join(f"{host}: {line}\n" for host, text in texts.items() for line in text.splitlines())
        self.assertEqual(self.judged(self.written("pdsh", pdsh)), (expected, []))
        self.assertEqual(self.judged(self.written("pdsh", pdsh + "gpu9: bash: ibstat: command not found\n"))[0], expected)
        rule = "-" * 15
        clush = "".join(f"{rule}\n{host}\n{rule}\n{text}" for host, text in texts.items())
        self.assertEqual(self.judged(self.written("clush", clush)), (expected, []))
        links, losses = self.judged(self.written("nobody", "".join(texts.values())))
        self.assertEqual((len(links), len(losses)), (1, 1), "nobody says whose the second is")
        self.assertIn("file of its own", losses[0])

    def test_counters_that_are_no_counts_are_not_measured(self):
        minus = self.perfquery("minus", 0, PortXmitData=1, PortXmitWait=-5, LinkDownedCounter=0)
        self.assertIn('PortXmitWait says "-5"', self.judged(minus)[1][0])
        ones = self.perfquery("ones", 0, PortXmitData=2**64 - 1, PortRcvErrors=2**64 - 1, LinkDownedCounter=0)
        self.assertEqual(self.ringside("--from", ones).stdout.count("warning"), 0)
        twice = self.written("twice", ones.read_text() + ones.read_text())
        self.assertIn("more than once", self.judged(twice)[1][0])

    def test_a_counter_that_wraps_between_two_readings_gained_little(self):
        before, after = (self.written(name, f"link mlx5_0/1 rx_write_requests {count} local_ack_timeout_err 0\n")
                         for name, count in (("before", 2**32 - 10), ("after", 20)))
        os.utime(before, (1_800_000_000, 1_800_000_000))
        os.utime(after, (1_800_000_060, 1_800_000_060))
        found = json.loads(self.ringside("--format", "json", "--from", before, after).stdout)
        self.assertEqual(found["findings"], [])
        self.assertTrue(all((gain or 0) < 100 for gain in found["links"][0]["gained"].values()), found["links"][0]["gained"])

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
