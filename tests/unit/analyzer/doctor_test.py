# SPDX-License-Identifier: Apache-2.0
"""`ringside doctor` as a user calls it, on this machine and on copies of others: doctor_test.py RINGSIDE SCHEMA."""

import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import unittest

import jsonschema

import cases

SCHEMA_FILE = pathlib.Path(sys.argv.pop())
SCHEMA = json.loads(SCHEMA_FILE.read_text())
MANIFEST = json.loads((SCHEMA_FILE.parent / "ringside-manifest-1.schema.json").read_text())
RINGSIDE = sys.argv.pop()
NAMED = {"proc/sys/kernel/hostname": "node7\n"}
LIMITS = """Limit                     Soft Limit           Hard Limit           Units
Max locked memory         {memlock}              {memlock}              bytes
Max open files            1024                 {files}               files
"""


class Doctor(cases.FolderCase):
    def setUp(self):
        super().setUp()
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("NCCL_", "TORCH_"))}

    def doctor(self, *arguments, expect=0, environment=None):
        done = subprocess.run([RINGSIDE, "doctor", *map(str, arguments)], env=environment or self.environment, text=True,
                              capture_output=True, timeout=120)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        return done

    def visit(self, *arguments, **keywords):
        found = json.loads(self.doctor(*arguments, "--format", "json", **keywords).stdout)
        jsonschema.validate(found, SCHEMA)
        return found

    def titles(self, visit):
        return [finding["title"] for finding in visit["hosts"][0]["findings"]]

    def host(self, files):
        """A copy of a machine with these files in it."""
        for name, text in files.items():
            file = self.folder / "copy" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return self.folder / "copy"

    def badly_set_up(self):
        card = "sys/class/net/eth{}/"
        return self.host({
            **NAMED,
            "proc/self/limits": LIMITS.format(memlock=65536, files=4096),
            "proc/mounts": "shm /dev/shm tmpfs rw,nosuid,size=65536k 0 0\n",
            "proc/sys/net/ipv4/tcp_rmem": "4096\t131072\t6291456\n",
            "proc/sys/net/ipv4/tcp_window_scaling": "0\n",
            "proc/net/route": "Iface\tDestination\neth0\t00000000\n",
            **{card.format(i) + name: value for i, speed in ((0, "1000"), (1, "100000"))
               for name, value in (("operstate", "up"), ("speed", speed), ("duplex", "full"), ("mtu", "1500"), ("device/vendor", "0x15b3"))},
            "sys/class/infiniband/mlx5_0/ports/1/state": "4: ACTIVE\n",
            "sys/class/infiniband/mlx5_1/ports/1/state": "2: INIT\n",
            "sys/class/infiniband/mlx5_1/ports/1/phys_state": "5: LinkUp\n",
            "sys/bus/pci/devices/0000:17:00.0/class": "0x030200\n",
            "sys/bus/pci/devices/0000:17:00.0/vendor": "0x10de\n",
            "sys/bus/pci/devices/0000:17:00.0/current_link_width": "8\n",
            "sys/bus/pci/devices/0000:17:00.0/max_link_width": "16\n",
            "sys/fs/cgroup/cpu.max": "150000 100000\n",
            "sys/bus/pci/devices/0000:c3:00.0/class": "0x010802\n",
            "sys/bus/pci/devices/0000:c3:00.0/current_link_speed": "8 GT/s\n",
            "sys/bus/pci/devices/0000:c3:00.0/max_link_speed": "16.0 GT/s PCIe\n",
            "proc/sys/net/ipv4/tcp_congestion_control": "reno\n",
            "etc/nccl.conf": "NCCL_BUFFSIZE=4M\nNCCL_NCHANNELS=4\nNCCL_PROTO=LL128\nNCCL_ALGO=Tree\n"
                             "NCCL_SOCKET_NTHREADS=16\nNCCL_NSOCKS_PERTHREAD=8\n"})

    def test_a_badly_set_up_host_is_told_what_is_wrong(self):
        titles = self.titles(self.visit("--root", self.badly_set_up()))
        for part in ("Locked memory is limited to 64.0 KiB", "At most 4096 files", "/dev/shm has 64.00 MiB", "window scaling is off",
                     "tcp_rmem lets a connection use 6.00 MiB; eth1 at 100 Gb/s", "eth1 is faster (100 Gb/s) than eth0",
                     "node7 mlx5_1:1 has a link but no subnet manager set it up (state INIT)", "GPU 0000:17:00.0: 8 of 16 PCIe lanes", "limits CPU time to 1.5 CPUs",
                     "0000:c3:00.0 runs its PCIe link at 8 GT/s of 16.0 GT/s", "congestion control is reno",
                     "NCCL_BUFFSIZE=4M is read as 4", "GPUs, but their driver is not loaded", "NCCL_NCHANNELS is set, and",
                     "NCCL_PROTO=LL128 forces LL128", "NCCL_ALGO=Tree leaves no algorithm", "is 128: NCCL accepts at most 64 sockets"):
            self.assertTrue(any(part in title for title in titles), f"{part}: {titles}")

    def rationed(self, cgroup, mounts, groups):
        self.host({"proc/self/cgroup": cgroup, "proc/self/mountinfo": mounts, **{f"sys/fs/cgroup/{name}": text for name, text in groups.items()}})
        return self.titles(self.visit("--root", self.folder / "copy"))

    def test_a_device_whose_vendor_cannot_be_read_has_none(self):
        copy = self.host({**NAMED, "sys/bus/pci/devices/0000:c3:00.0/class": "0x010802\n",
                          "sys/bus/pci/devices/0000:c3:00.0/current_link_width": "4\n"})
        facts = self.visit("--root", copy)["hosts"][0]["facts"]
        self.assertEqual({name: value for name, value in facts.items() if name.startswith("disk.")},
                         {"disk.0000:c3:00.0.current_link_width": "4"})

    def unread(self, visit):
        return {check: (line["subjects"], line["reason"], line["command"])
                for line in visit["hosts"][0]["not_known"] for check in line["checks"]}

    def test_what_could_not_be_read_is_said_with_what_would_read_it(self):
        port = "sys/class/infiniband/{}/ports/1/"
        copy = self.host({
            **NAMED,
            **{port.format(name) + "state": "4: ACTIVE\n" for name in ("mlx5_0", "mlx5_1", "i40iw0")},
            **{port.format(name) + "counters/symbol_error": "0\n" for name in ("mlx5_0", "mlx5_1")},
            port.format("i40iw0") + "counters/symbol_error": "N/A (no PMA)\n",
            port.format("i40iw0") + "counters/port_rcv_errors": "N/A (no PMA)\n",
            "sys/bus/pci/devices/0000:17:00.0/class": "0x030200\n",
            "sys/bus/pci/devices/0000:17:00.0/vendor": "0x10de\n",
            "proc/self/limits": LIMITS.format(memlock="unlimited", files=1048576)})
        unread = self.unread(self.visit("--root", copy))
        self.assertEqual(unread["link_margin"][0], ["i40iw0:1", "mlx5_0:1", "mlx5_1:1"])
        self.assertIn("package mft", unread["link_margin"][1])
        subjects, reason, command = unread["rdma_port_down"]
        self.assertEqual((subjects, command), (["mlx5_0:1", "mlx5_1:1"], "ringside links --live --count 2"))
        self.assertIn("read once", reason)
        self.assertIn("libnvidia-ml.so.1", unread["row_remap"][1])
        self.assertEqual(unread["cpu_busy"][0], [], "the host itself")
        self.assertIn("CONFIG_PSI", unread["cpu_busy"][1])
        self.assertNotIn("open_files_low", unread, "its limits were read")
        text = self.doctor("--root", copy).stdout
        self.assertIn("Not known", text)
        self.assertIn('"N/A (no PMA)"', " ".join(text.split()))
        self.assertIn("## Not known", self.doctor("--root", copy, "--format", "markdown").stdout)

    def test_a_host_that_was_read_has_nothing_unknown_of_it(self):
        copy = self.host({
            **NAMED, "proc/self/limits": LIMITS.format(memlock="unlimited", files=1048576),
            "proc/mounts": "shm /dev/shm tmpfs rw,nosuid,size=8388608k 0 0\n",
            "proc/pressure/cpu": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
            "proc/pressure/memory": "some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n",
            "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance\n"})
        self.assertLessEqual(set(self.unread(self.visit("--root", copy))), {"versions_old"})

    def test_a_quota_above_the_jobs_own_group_is_found(self):
        mounts = "41 31 0:38 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n"
        titles = self.rationed("0::/slurm/job7\n", mounts, {"slurm/job7/cpu.max": "max 100000\n", "slurm/cpu.max": "250000 100000\n"})
        self.assertEqual([title for title in titles if "limits CPU" in title], ["A cgroup limits CPU time to 2.5 CPUs"])
        titles = self.rationed("0::/slurm/job7\n", mounts, {"slurm/job7/cpu.max": "50000 100000\n"})
        self.assertIn("A cgroup limits CPU time to 0.5 CPUs", titles, "the tightest counts")

    def test_a_quota_of_version_1_is_found(self):
        self.assertIn("A cgroup limits CPU time to 1.5 CPUs", self.rationed(
            "4:cpu,cpuacct:/docker/abc\n", "32 31 0:29 /docker/abc /sys/fs/cgroup/cpu ro - cgroup cgroup rw,cpu\n",
            {"cpu/cpu.cfs_quota_us": "75000\n", "cpu/cpu.cfs_period_us": "50000\n"}))

    def device(self, path, files):
        """A PCI device at this place below /sys/devices, where sysfs has links to it."""
        copy, address = self.folder / "copy", path.split("/")[-1]
        self.host({f"sys/devices/{path}/{name}": text for name, text in files.items()})
        link = copy / "sys/bus/pci/devices" / address
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(f"../../../devices/{path}")
        return address

    def host_with_rdma(self, adapter, mtu="9000", driver="x86_64 Kernel Module  535.104.05  Sat"):
        """A GPU on NUMA node 1 and a RoCE adapter at this place, (path, node)."""
        self.device("pci0000:80/0000:80:01.0/0000:81:00.0", {"class": "0x030200", "vendor": "0x10de", "numa_node": "1"})
        path, node = adapter
        address = self.device(path, {"class": "0x020000", "vendor": "0x15b3", "numa_node": node})
        port = "sys/class/infiniband/mlx5_0/ports/1/"
        copy = self.host({port + "state": "4: ACTIVE\n", port + "link_layer": "Ethernet\n", port + "gid_attrs/ndevs/0": "eth2\n",
                          "sys/class/net/eth2/mtu": mtu + "\n", "proc/driver/nvidia/version": f"NVRM version: NVIDIA UNIX {driver}\n"})
        (copy / "sys/class/infiniband/mlx5_0/device").symlink_to(f"../../../bus/pci/devices/{address}")
        return copy

    def test_an_adapter_on_another_node_without_gpudirect_and_with_small_packets_is_named(self):
        visit = self.visit("--root", self.host_with_rdma(("pci0000:00/0000:00:01.0/0000:01:00.0", "0"), mtu="1500"))
        titles = self.titles(visit)
        for part in ("adapter of the GPU at 0000:81:00.0 is at another NUMA node", "cannot access GPU memory",
                     "mlx5_0:1: packets of 1024 bytes"):
            self.assertTrue(any(part in title for title in titles), f"{part}: {titles}")

    def test_an_adapter_beside_the_gpu_with_the_open_driver_is_fine(self):
        visit = self.visit("--root", self.host_with_rdma(("pci0000:80/0000:80:01.0/0000:82:00.0", "1"),
                                                         driver="Open Kernel Module for x86_64  560.35.03  Release"))
        self.assertEqual(self.titles(visit), [])
        self.assertEqual(visit["hosts"][0]["facts"]["library.nvidia_driver"], "560.35.03")

    def test_a_card_in_a_narrow_slot_is_judged_by_what_its_port_needs(self):
        def titles(mbps):
            card = self.device(f"pci0000:00/0000:0{len(mbps)}:00.0", {
                "class": "0x020000", "vendor": "0x15b3", "current_link_speed": "16.0 GT/s PCIe", "max_link_speed": "16.0 GT/s PCIe",
                "current_link_width": "8", "max_link_width": "16"})
            copy = self.host({f"sys/class/net/eth{len(mbps)}/speed": mbps})
            (copy / f"sys/class/net/eth{len(mbps)}/device").symlink_to(f"../../../bus/pci/devices/{card}")
            found = self.visit("--root", copy)["hosts"][0]["findings"]
            return [finding["severity"] for finding in found if card in finding["title"]]
        self.assertEqual(titles("40000"), ["info"])
        self.assertEqual(titles("200000"), ["problem"])

    def host_with_rails(self, count=4, **changed):
        """Adapters of one board with a port each; a changed one is mlx5_2=dict(state=...)."""
        for number in range(count):
            name = f"mlx5_{number}"
            port = {"state": "4: ACTIVE", "phys_state": "5: LinkUp", "rate": "400 Gb/sec (4X NDR)", "link_layer": "InfiniBand",
                    **changed.get(name, {})}
            self.host({f"sys/class/infiniband/{name}/board_id": "MT_0000000838\n", f"sys/class/infiniband/{name}/hca_type": "MT4129\n",
                       **{f"sys/class/infiniband/{name}/ports/1/{file}": text + "\n" for file, text in port.items()},
                       **{f"sys/class/infiniband/{name}/ports/1/gids/{index}": "fe80:0000\n" for index in range(4)}})
        return self.host(NAMED)

    def advice(self, host):
        return {(each["severity"], each["title"]) for each in self.visit("--root", host)["hosts"][0]["findings"]
                if each["check"].startswith("rdma_")}

    def test_rails_that_are_alike_are_fine(self):
        self.assertEqual(self.advice(self.host_with_rails()), set())

    def test_a_rail_unlike_its_siblings_is_named_on_an_idle_host(self):
        found = self.advice(self.host_with_rails(mlx5_1={"rate": "100 Gb/sec (1X NDR)"},
                                                 mlx5_2={"state": "1: DOWN", "phys_state": "2: Polling"}))
        self.assertEqual(found, {
            ("problem", "Port node7 mlx5_1:1 runs on 1 of 4 lanes"),
            ("warning", "Port node7 mlx5_2:1 is down (Polling: no cable, or no device at its other end); "
                        "3 ports of its kind on this host are active")})

    def test_findings_of_one_kind_are_one_thing_to_read(self):
        slow = {f"mlx5_{number}": {"rate": "100 Gb/sec (1X NDR)"} for number in range(1, 6)}
        text = self.doctor("--root", self.host_with_rails(8, **slow)).stdout
        self.assertEqual(text.count("slowest port"), 1, text)
        self.assertIn("and 1 more", text)

    def test_names_that_the_host_does_not_have_are_found(self):
        copy = self.host_with_rails()
        self.host({"sys/class/net/eth0/speed": "200000\n",
                   "etc/nccl.conf": "NCCL_SOCKET_IFNAME=enp7s0\nNCCL_IB_HCA=mlx5_0:1,mlx5_9\nNCCL_IB_GID_INDEX=7\nNCCL_IB_TC=300\n"
                                    "NCCL_P2P_LEVEL=NEAR\n"})
        titles = self.titles(self.visit("--root", copy))
        for part in ("NCCL_SOCKET_IFNAME=enp7s0: this host has no interface enp7s0",
                     "NCCL_IB_HCA=mlx5_0:1,mlx5_9: this host has no RDMA device mlx5_9",
                     "NCCL_IB_GID_INDEX=7: the table of RDMA port mlx5_0/1 ends at 3", "NCCL_IB_TC=300 is outside 0 to 255",
                     "NCCL_P2P_LEVEL=NEAR: NEAR is none of its words"):
            self.assertTrue(any(part in title for title in titles), f"{part}: {titles}")

    def test_swapped_and_added_adapters_are_told_from_what_is_expected(self):
        copy = self.host_with_rails(2)
        slots = [self.device(f"pci0000:0{number}/0000:0{number}:01.0", {"class": "0x020700", "vendor": "0x15b3"}) for number in (1, 2)]
        for number, slot in enumerate(slots):
            (copy / f"sys/class/infiniband/mlx5_{number}/device").symlink_to(f"../../../bus/pci/devices/{slot}")
        expected = self.folder / "good.facts"
        expected.write_text(self.doctor("--root", copy, "--facts").stdout)
        for number, slot in enumerate(reversed(slots)):
            link = copy / f"sys/class/infiniband/mlx5_{number}/device"
            link.unlink()
            link.symlink_to(f"../../../bus/pci/devices/{slot}")
        self.host_with_rails(3)
        titles = self.titles(self.visit("--root", copy, "--expect", expected))
        for part in (f"rdma.mlx5_0.pci is {slots[1]}; {slots[0]} was expected", "rdma.mlx5_2 is there and was not expected"):
            self.assertTrue(any(part in title for title in titles), f"{part}: {titles}")

    def test_a_host_is_held_against_one_that_is_as_it_should_be(self):
        expected = self.folder / "good.facts"
        card = "sys/class/net/eth0/"
        self.host({card + "speed": "200000\n", card + "mtu": "9000\n", "proc/sys/kernel/hostname": "good\n"})
        expected.write_text(self.doctor("--root", self.folder / "copy", "--facts").stdout)
        self.assertEqual(self.titles(self.visit("--root", self.folder / "copy", "--expect", expected)), [])
        self.host({card + "speed": "100000\n", "proc/sys/kernel/hostname": "bad\n"})
        (self.folder / "copy" / card / "mtu").unlink()
        self.assertEqual(self.titles(self.visit("--root", self.folder / "copy", "--expect", expected)), [
            "interface.eth0.mtu is missing; 9000 was expected", "interface.eth0.speed_mbps is 100000; 200000 was expected"])
        self.doctor("--root", self.folder / "copy", "--expect", expected, "--fail-on", "warning", expect=1)

    def host_with_cards(self, rails):
        """Rails in slots of their own, each with a PCIe link of 16 lanes."""
        copy = self.host_with_rails(rails)
        for number in range(rails):
            slot = self.device(f"pci0000:0{number}/0000:0{number}:01.0", {"class": "0x020700", "vendor": "0x15b3",
                               "current_link_speed": "32.0 GT/s PCIe", "current_link_width": "16"})
            link = copy / f"sys/class/infiniband/mlx5_{number}/device"
            link.unlink(missing_ok=True)
            link.symlink_to(f"../../../bus/pci/devices/{slot}")
        return copy

    def manifest(self, copy):
        expected = self.folder / "manifest.json"
        expected.write_text(self.doctor("--root", copy, "--manifest").stdout)
        jsonschema.validate(json.loads(expected.read_text()), MANIFEST)
        return expected

    def test_a_host_is_as_its_manifest_says(self):
        copy = self.host_with_cards(3)
        expected = self.manifest(copy)
        rails = json.loads(expected.read_text())["roles"]["rail"]
        self.assertEqual((rails["count"], rails["devices"][0]["name"], rails["devices"][0]["pcie"]), (3, "mlx5_0/1", "32.0 GT/s PCIe x16"))
        self.assertEqual([title for title in self.titles(self.visit("--root", copy, "--expect", expected)) if "expected" in title], [])

    def test_a_rail_that_is_missing_slow_or_elsewhere_is_told_by_its_role(self):
        expected = self.manifest(self.host_with_cards(4))
        copy = self.folder / "copy"
        infiniband = copy / "sys/class/infiniband"
        (infiniband / "mlx5_0/ports/1/rate").write_text("100 Gb/sec (1X NDR)\n")  # as slow as a port for management
        (infiniband / "mlx5_1").rename(infiniband / "mlx5_9")
        (next((copy / "sys").rglob("0000:02:01.0")) / "current_link_width").write_text("8\n")
        shutil.rmtree(infiniband / "mlx5_3")
        titles = "\n".join(self.titles(self.visit("--root", copy, "--expect", expected)))
        for part in ("3 devices of role rail are there; 4 were expected", "rail mlx5_3/1 (slot 0000:03:01.0) is missing",
                     "rail mlx5_0/1 (slot 0000:00:01.0) has a rate of 100 Gb/sec (1X NDR)", "is called mlx5_9/1; mlx5_1/1 was expected",
                     "rail mlx5_2/1 (slot 0000:02:01.0) has a PCIe link of 32.0 GT/s PCIe x8"):
            self.assertIn(part, titles)
        self.doctor("--root", copy, "--expect", expected, "--fail-on", "problem", expect=1)

    def test_a_rail_that_is_down_has_no_rate_to_blame(self):
        copy = self.host_with_cards(3)
        expected = self.manifest(copy)
        port = copy / "sys/class/infiniband/mlx5_1/ports/1"
        (port / "state").write_text("1: DOWN\n")
        (port / "rate").write_text("10 Gb/sec (4X SDR)\n")
        titles = [title for title in self.titles(self.visit("--root", copy, "--expect", expected)) if "expected" in title]
        self.assertEqual(titles, ["rail mlx5_1/1 (slot 0000:01:01.0) is in state 1: DOWN; 4: ACTIVE was expected"])

    def test_a_manifest_that_is_none_is_refused(self):
        expected = self.folder / "manifest.json"
        for text, message in (("{", "is no manifest"), ('{"schema": "ringside-manifest/2", "roles": {}}', "is no manifest"),
                              ('{"schema": "ringside-manifest/1", "roles": {"rail": {"count": 2, "devices": [{}]}}}', "count of role rail"),
                              ('{"schema": "ringside-manifest/1", "roles": {"rail": 3}}', "count of role rail")):
            expected.write_text(text)
            self.assertIn(message, self.doctor("--root", self.host(NAMED), "--expect", expected, expect=3).stderr)

    def test_what_is_expected_must_be_one_whole_host(self):
        expected = self.folder / "facts"
        for text, message in (("nonsense\n", "it holds no facts"), ('["a", "x", "1"]\n["b", "x", "1"]\n', "facts of several hosts"),
                              ('["a", "x", "1"]\n["a", 2]\n', "is incomplete")):
            expected.write_text(text)
            self.assertIn(message, self.doctor("--root", self.host(NAMED), "--expect", expected, expect=3).stderr)

    def test_a_host_of_which_only_its_name_is_known_is_not_blamed(self):
        self.assertEqual(self.titles(self.visit("--root", self.host(NAMED))), [])

    def test_a_folder_without_a_host_in_it_is_not_called_healthy(self):
        in_it = self.badly_set_up() / "sys"
        for folder in (self.folder, in_it):
            for wanted in ((), ("--facts",)):
                self.assertIn("holds no readable facts of a host", self.doctor("--root", folder, *wanted, expect=3).stderr)

    def nvidia_smi(self, persistence="Enabled", fabric="Completed", status="Success", uncorrected=0, pending="No", power_brake="Not Active"):
        """What `nvidia-smi -q -x` prints of a GPU, as far as it is read."""
        return self.host({**NAMED, "nvidia-smi.xml": f"""<?xml version="1.0" ?>
<!DOCTYPE nvidia_smi_log SYSTEM "nvsmi_device_v12.dtd">
<nvidia_smi_log>
  <driver_version>550.54.15</driver_version>
  <gpu id="00000000:C1:00.0">
    <product_name>NVIDIA H100 80GB HBM3</product_name>
    <persistence_mode>{persistence}</persistence_mode>
    <mig_devices><mig_device><ecc_error_count><volatile_count><sram_uncorrectable>7</sram_uncorrectable></volatile_count></ecc_error_count></mig_device></mig_devices>
    <pci><pci_gpu_link_info><link_widths><max_link_width>16x</max_link_width><current_link_width>16x</current_link_width></link_widths></pci_gpu_link_info></pci>
    <clocks_event_reasons><clocks_event_reason_hw_slowdown>Not Active</clocks_event_reason_hw_slowdown>
      <clocks_event_reason_hw_power_brake_slowdown>{power_brake}</clocks_event_reason_hw_power_brake_slowdown></clocks_event_reasons>
    <ecc_errors><volatile><sram_uncorrectable>{uncorrected}</sram_uncorrectable><dram_uncorrectable>0</dram_uncorrectable></volatile>
      <aggregate><sram_uncorrectable>9</sram_uncorrectable></aggregate></ecc_errors>
    <remapped_rows><remapped_row_pending>{pending}</remapped_row_pending><remapped_row_failure>No</remapped_row_failure></remapped_rows>
    <fabric><state>{fabric}</state><status>{status}</status></fabric>
  </gpu>
</nvidia_smi_log>"""})

    def test_what_nvidia_smi_printed_on_a_host_is_judged(self):
        well = self.visit("--root", self.nvidia_smi())
        self.assertEqual(self.titles(well), [])
        facts = well["hosts"][0]["facts"]
        self.assertEqual({name: value for name, value in facts.items() if name.startswith(("gpu.", "library."))}, {
            "library.nvidia_driver": "550.54.15", **{f"gpu.0000:c1:00.0.{fact}": value for fact, value in (
                ("name", "NVIDIA H100 80GB HBM3"), ("persistence_mode", "Enabled"), ("fabric_state", "Completed"), ("fabric_status", "Success"),
                ("row_remap_pending", "No"), ("row_remap_failed", "No"), ("current_link_width", "16"), ("max_link_width", "16"),
                ("ecc_uncorrected", "0"), ("slowdowns", "none"))}})
        for trouble, severity, part in (
                ({"persistence": "Disabled"}, "info", "GPU 0000:c1:00.0: persistence mode is off"),
                ({"fabric": "In Progress", "status": "N/A"}, "problem", "c1:00.0: was still joining the fabric of its NVSwitches"),
                ({"status": "Unknown Error"}, "problem", "could not join the fabric of its NVSwitches: NVML error 999"),
                ({"uncorrected": 2}, "problem", "2 uncorrected memory errors"),
                ({"pending": "Yes"}, "warning", "waits for a reset"),
                ({"power_brake": "Active"}, "warning", "the power supply holds the clocks down")):
            found = self.visit("--root", self.nvidia_smi(**trouble))["hosts"][0]["findings"]
            self.assertEqual([each["severity"] for each in found], [severity], found)
            self.assertIn(part, found[0]["title"])

    def test_damaged_output_of_nvidia_smi_is_read_as_far_as_it_goes(self):
        whole = (self.nvidia_smi() / "nvidia-smi.xml").read_text()
        for text in (whole[:700], "<gpu id=\"", "<gpu id=\"x\"></gpu><gpu", "<gpu id=\"1:2\">" + "<a>" * 100, "</a>" * 9 + whole, "<gpu id=\"\"></gpu>"):
            self.host({"nvidia-smi.xml": text})
            self.visit("--root", self.folder / "copy")
        self.host({"nvidia-smi.xml": whole[:whole.index("<persistence_mode>")]})
        facts = self.visit("--root", self.folder / "copy")["hosts"][0]["facts"]
        self.assertEqual(facts["gpu.0000:c1:00.0.name"], "NVIDIA H100 80GB HBM3")

    def test_counts_of_nvidia_smi_that_cannot_be_are_left_out(self):
        for hostile in (2**63 - 1, 2**64 - 1, 10**30, -1):
            copy = self.nvidia_smi(uncorrected=hostile)
            text = (copy / "nvidia-smi.xml").read_text().replace("<dram_uncorrectable>0<", f"<dram_uncorrectable>{hostile}<")
            (copy / "nvidia-smi.xml").write_text(text)
            self.assertNotIn("gpu.0000:c1:00.0.ecc_uncorrected", self.visit("--root", copy)["hosts"][0]["facts"], hostile)

    def test_output_of_nvidia_smi_that_is_made_to_take_long_does_not(self):
        million = 1_000_000
        for text in ('<gpu id="1:2">' + "<!" * 4 * million + ">", '<gpu id="1:2"/>' * million, '<gpu id="1:2">' + "<a>" * million,
                     '<gpu id="1:2"><' + "a" * 4 * million + ">" + "<b>x</b>" * million, '<gpu id="1:2">' + "</" * 4 * million):
            self.host({**NAMED, "nvidia-smi.xml": "<nvidia_smi_log>" + text})
            self.visit("--root", self.folder / "copy")

    def bridge(self, control):
        """A bridge above the GPU, with an extended capability of another kind before that of access control."""
        self.host({"proc/driver/nvidia/version": "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat\n"})
        config = bytearray(4096)
        config[0x100:0x104] = (0x0001 | 0x1 << 16 | 0x148 << 20).to_bytes(4, "little")
        config[0x148:0x14c] = (0x000D | 0x1 << 16).to_bytes(4, "little")
        config[0x14e:0x150] = control.to_bytes(2, "little")
        address = self.device(f"pci0000:40/0000:40:0{control % 8}.0", {"class": "0x060400"})
        self.device(f"pci0000:40/{address}/0000:41:0{control % 8}.0", {"class": "0x030200", "vendor": "0x10de"})
        (self.folder / "copy/sys/bus/pci/devices" / address / "config").write_bytes(config)
        return address

    def test_bridges_that_redirect_what_gpus_have_for_others_are_named(self):
        address = self.bridge(0x1d)
        found = self.visit("--root", self.folder / "copy")["hosts"][0]["findings"]
        self.assertEqual([(each["check"], each["severity"]) for each in found], [("pci_bridges", "warning")])
        self.assertIn(f"the first {address} (SrcValid ReqRedir CmpltRedir UpstreamFwd)", found[0]["title"])
        self.host({"proc/cpuinfo": "processor : 0\nflags : fpu hypervisor sse\n"})
        self.assertEqual(self.titles(self.visit("--root", self.folder / "copy")), [], "the host of a virtual machine decides")

    def test_bridges_without_access_control_or_that_cannot_be_read_are_not_blamed(self):
        self.bridge(0)
        unread = self.bridge(0x1d)
        config = self.folder / "copy/sys/bus/pci/devices" / unread / "config"
        config.write_bytes(config.read_bytes()[:64])
        self.assertEqual(self.titles(self.visit("--root", self.folder / "copy")), [])

    def test_buffers_are_judged_by_need(self):
        titles = self.titles(self.visit("--root", self.badly_set_up(), "--round-trip-ms", "0.05"))
        self.assertFalse(any("tcp_rmem" in title for title in titles), titles)

    def test_hostile_files_are_read_as_they_are(self):
        self.host({"proc/self/limits": "Max locked memory\n\0\xff" * 1000, "proc/mounts": "shm /dev/shm tmpfs size=-9e99k",
                   "proc/sys/net/ipv4/tcp_rmem": "99999999999999999999 x", "sys/fs/cgroup/cpu.max": "1 0",
                   "sys/class/net/x.y/operstate": "up", "sys/class/net/x.y/speed": "N/A",
                   "sys/bus/pci/devices/a/class": "", "proc/pressure/cpu": "avg10=nan", "etc/nccl.conf": "NCCL_IB_TIMEOUT=" + "9" * 100})
        titles = self.titles(self.visit("--root", self.folder / "copy"))
        self.assertEqual(len(titles), 1, titles)
        self.assertIn("NCCL_IB_TIMEOUT=999", titles[0])

    def test_planted_variables_are_found_on_this_machine(self):
        planted = {"NCCL_NCHANNELS": "4", "NCCL_PROTO": "LL128", "NCCL_ALGO": "Tree", "NCCL_SOCKET_NTHREADS": "16",
                   "NCCL_NSOCKS_PERTHREAD": "8", "NCCL_SECRET_TOKEN": "hunter2"}
        done = self.doctor("--fail-on", "problem", expect=1, environment={**self.environment, **planted})
        for part in ("NCCL_PROTO=LL128 forces LL128", "NCCL_ALGO=Tree leaves no algorithm", "is 128: NCCL accepts at most 64 sockets"):
            self.assertIn(part, " ".join(done.stdout.split()))
        self.assertNotIn("hunter2", done.stdout)
        if "NCCL not found" not in done.stdout:
            self.assertIn("NCCL_NCHANNELS is set, and NCCL", done.stdout)

    def test_a_place_to_meet_that_cannot_be_reached_is_a_problem(self):
        def met(**variables):
            return " ".join(self.titles(self.visit(environment={**self.environment, **variables})))
        self.assertIn("MASTER_ADDR=nowhere.invalid cannot be resolved", met(MASTER_ADDR="nowhere.invalid", MASTER_PORT="29500"))
        self.assertIn("and the job has 2 nodes", met(MASTER_ADDR="127.0.0.1", SLURM_NNODES="2"))
        with socket.socket() as taken:  # bound, but nobody listens: refused, as before a run
            taken.bind(("127.0.0.1", 0))
            self.assertNotIn("MASTER_ADDR", met(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(taken.getsockname()[1])))

    def test_hosts_are_compared_and_what_differs_comes_first(self):
        answers = self.folder / "answers"
        answers.write_text("".join(
            f'{task}: ["{host}", "{fact}", "{value}"]\n' for task, (host, memlock) in enumerate((("a", "65536"), ("b", "unlimited")))
            for fact, value in (("limit.memlock_bytes", memlock), ("rdma.mlx5_0/1.state", "4: ACTIVE"), ("library.nccl", "22809")))
            + 'Warning: the launcher says something\n["a", 3]\n["b", 3]\n')
        found = self.visit("--hosts", f"cat {answers} #")
        self.assertEqual([host["name"] for host in found["hosts"]], ["a", "b"])
        self.assertEqual(found["differences"], [{"fact": "limit.memlock_bytes", "values": [
            {"value": "65536", "hosts": ["a"]}, {"value": "unlimited", "hosts": ["b"]}]}])
        text = self.doctor("--hosts", f"cat {answers} #").stdout
        self.assertLess(text.index("limit.memlock_bytes"), text.index("Locked memory is limited"))
        self.assertIn("[a]", text)

    def test_this_host_through_a_launcher_is_this_host(self):
        direct, launched = self.visit(), self.visit("--hosts", "env")
        moving = ("pressure.", "memory.", "environment.", "port.")
        facts = [{name: value for name, value in visit["hosts"][0]["facts"].items() if not name.startswith(moving)}
                 for visit in (direct, launched)]
        self.assertEqual(facts[0], facts[1])

    def test_half_an_answer_is_refused(self):
        answers = self.folder / "answers"
        answers.write_text('["a", "library.nccl", "22809"]\n["a", 2]\n')
        self.assertIn("the answer of a is incomplete", self.doctor("--hosts", f"cat {answers} #", expect=3).stderr)
        self.assertIn("no host answered", self.doctor("--hosts", "false", expect=3).stderr)

    def test_hosts_that_answered_are_judged_beside_one_that_did_not(self):
        answers = self.folder / "answers"
        answers.write_text('["a", "library.nccl", "22809"]\n["a", 2]\n["b", "library.nccl", "22809"]\n["b", 1]\n')
        done = self.doctor("--hosts", f"cat {answers} #", "--format", "json")
        self.assertEqual([host["name"] for host in json.loads(done.stdout)["hosts"]], ["b"])
        self.assertIn("a answered only 1 of 2 facts and is left out", done.stderr)

    def test_a_difference_between_hosts_counts(self):
        answers = self.folder / "answers"
        answers.write_text("".join(f'["{host}", "library.nccl", "{version}"]\n["{host}", 1]\n'
                                   for host, version in (("a", 22809), ("b", 22900))))
        self.doctor("--hosts", f"cat {answers} #", "--fail-on", "warning", expect=1)
        self.doctor("--hosts", f"cat {answers} #", "--fail-on", "problem", expect=0)

    def test_fixes_are_printed_and_not_run(self):
        lines = self.doctor("--root", self.badly_set_up(), "--fix").stdout.splitlines()
        self.assertIn("sudo sysctl -w net.ipv4.tcp_window_scaling=1", lines)
        self.assertEqual((self.folder / "copy/proc/sys/net/ipv4/tcp_window_scaling").read_text(), "0\n")

    def test_markdown_names_every_finding(self):
        text = self.doctor("--root", self.badly_set_up(), "--format", "markdown").stdout
        self.assertIn("# Ringside doctor: 1 host", text)
        self.assertIn("window scaling is off", text)


if __name__ == "__main__":
    unittest.main()
