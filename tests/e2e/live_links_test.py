# SPDX-License-Identifier: Apache-2.0
"""`ringside links --live` also uses libibverbs, like the sampler of a run: here the emulated one, with a tree like /sys."""

import json
import unittest

import lab


class LiveLinks(lab.Scenario):
    def live(self, script, *arguments):
        port = self.folder / "sys/class/infiniband/mlx5_0/ports/1"
        (port / "counters").mkdir(parents=True, exist_ok=True)
        for name, text in (("state", "4: ACTIVE"), ("phys_state", "5: LinkUp"), ("rate", "10 Gb/sec (4X SDR)"), ("link_layer", "InfiniBand"),
                           ("counters/port_rcv_data", "7")):
            (port / name).write_text(text + "\n")
        (self.folder / "verbs.script").write_text(script)
        emulated = lab.emulated_gpu()
        environment = {**emulated, "LD_LIBRARY_PATH": f"{emulated['LD_LIBRARY_PATH']}/verbs", "RINGSIDE_SYSFS_ROOT": str(self.folder / "sys"),
                       "RINGSIDE_VERBS_SCRIPT": str(self.folder / "verbs.script")}
        done = lab.run([lab.RINGSIDE, "links", "--live", "--interval", 0.5, "--count", 4, *arguments], environment=environment)
        return done.stdout, done.stderr

    def test_rate_and_mtu_are_what_the_library_says(self):
        link = json.loads(self.live("0 mlx5_0:1 speed=XDR mtu=2048\n", "--format", "json")[0])["links"][0]
        self.assertEqual((link["rate_mbps"], link["state"]), (800000, "ACTIVE"))
        prometheus = self.live("0 mlx5_0:1 speed=XDR\n", "--format", "prometheus")[0]
        self.assertRegex(prometheus, r'ringside_port_rate_bits_per_second\{[^}]*port="mlx5_0:1"[^}]*\} 8(00000000000|e\+11)')

    def test_an_outage_between_two_readings_is_told_by_events(self):
        text, talk = self.live("0 mlx5_0:1\n0.6 mlx5_0:1 state=down\n0.8 mlx5_0:1 state=active\n")
        self.assertIn("(rdma_port_down)", text)
        self.assertIn("mlx5_0:1 went down 1 time", " ".join(text.split()))
        self.assertNotIn("not acknowledged", talk)

    def test_a_device_that_does_not_open_is_read_from_sysfs(self):
        link = json.loads(self.live("0 mlx5_0:1 fails=1\n", "--format", "json")[0])["links"][0]
        self.assertEqual(link["rate_mbps"], 10000)
        self.assertIn("ibv_open_device", link["not_measured"]["async_event"])


if __name__ == "__main__":
    lab.main()
