# SPDX-License-Identifier: Apache-2.0
"""An RDMA port that goes down for a moment while a job trains is named, with its device, the time and the step. The port is the
emulated libibverbs' (reference_trainer/cpu_platform/verbs): the readings of once a second need not see it down."""

import re

import lab

STEPS = 120
FLAP = "0 mlx5_3:1 speed=NDR\n1.1 mlx5_3:1 state=down\n1.4 mlx5_3:1 state=active\n"
NO_FLAP = "0 mlx5_3:1 speed=NDR\n"


class PortFlap(lab.Scenario):
    def trained(self, name, script):
        """The report of a run on a host with one port, of which the script says what becomes of it."""
        tree = self.folder / f"{name}_sys"
        port = tree / "class" / "infiniband" / "mlx5_3" / "ports" / "1"
        port.mkdir(parents=True)
        for file, text in (("state", "4: ACTIVE"), ("phys_state", "5: LinkUp"), ("rate", "400 Gb/sec (4X NDR)"),
                           ("link_layer", "InfiniBand")):
            (port / file).write_text(text + "\n")
        (tree / "script").write_text(script)
        directory = self.folder / f"{name}.ringside"
        environment = lab.emulated_gpu()
        libraries = environment["LD_LIBRARY_PATH"]
        lab.record(directory, lab.trainer_command(STEPS), environment={
            **environment, "LD_LIBRARY_PATH": f"{libraries}:{libraries}/verbs", "RINGSIDE_SYSFS_ROOT": str(tree),
            "RINGSIDE_VERBS_SCRIPT": str(tree / "script")})
        return lab.report(directory)

    def test_is_named_with_device_port_time_and_step(self):
        result = self.trained("flap", FLAP)
        finding = self.finding(result, "rdma_port_down")
        self.assertEqual(finding["severity"], "problem")
        self.assertEqual(len(finding["links"]), 1)
        self.assertTrue(finding["links"][0].endswith(" mlx5_3:1"), finding["links"])
        told = re.search(r"went down 1 time in this run, .*; first ([0-9.]+) s into the run, in step ([0-9]+)", finding["title"])
        self.assertTrue(told, finding["title"])
        self.assertLessEqual(int(told[2]), STEPS)
        place = finding["evidence"][0]
        self.assertAlmostEqual(place["start_ns"] / 1e9, float(told[1]), delta=0.06)
        self.assertGreater(place["end_ns"], place["start_ns"])
        self.assertEqual(result["summary"]["link_health"], "problem")

    def test_a_port_that_stays_up_is_not(self):
        result = self.trained("up", NO_FLAP)
        self.assertEqual([each["title"] for each in result["findings"] if each["rule"] == "rdma_port_down"], [])
        self.assertEqual(result["summary"]["link_health"], "ok")


if __name__ == "__main__":
    lab.main()
