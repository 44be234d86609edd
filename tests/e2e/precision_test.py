# SPDX-License-Identifier: Apache-2.0
"""What 16 bits take off the report: float32 products where there are tensor cores, and float32 gradients.

The device model is the other scenarios' with a rate of its own for 16-bit products, so that the emulated GPU is one with
tensor cores; nothing overlaps, so that the gradients' transfer is exposed."""

import lab

RULES = {"tensor_cores_unused", "fp32_gradients"}


class Precision(lab.Scenario):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.model = cls.folder / "tensor_cores.conf"
        cls.model.write_text(lab.MODEL.read_text() + "half_flops = 1e10\n")

    def report(self, name, *options, model=None):
        directory = self.folder / f"{name}.ringside"
        command = lab.trainer_command(16, ["no_overlap"], extra=options)
        lab.record(directory, command, environment=lab.emulated_gpu(model or self.model))
        return lab.report(directory)

    def found(self, name, *options):
        return RULES & {each["rule"] for each in self.report(name, *options)["findings"]}

    def test_single_precision_is_named_for_both(self):
        result = self.report("single", "--precision", "fp32")
        self.finding(result, "tensor_cores_unused", range(lab.RANKS))
        self.finding(result, "fp32_gradients")

    def test_sixteen_bit_products_use_the_tensor_cores(self):
        precision = self.draw.choice(["bf16", "fp16"])
        self.assertEqual(self.found("products", "--precision", precision), {"fp32_gradients"})

    def test_gradients_that_do_not_travel_in_single_precision_are_not_named(self):
        for gradients in (self.draw.choice(["bf16", "fp16"]), "topk:0.05"):
            with self.subTest(gradients):
                self.assertEqual(self.found("gradients", "--precision", "bf16", "--gradients", gradients), set())

    def test_a_device_without_tensor_cores_is_not_asked_to_use_them(self):
        result = self.report("without", model=lab.MODEL)
        reasons = {each["rule"]: each["reason"] for each in result["not_applicable"]}
        self.assertIn("tensor cores", reasons["tensor_cores_unused"])


if __name__ == "__main__":
    lab.main()
