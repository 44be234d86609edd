# SPDX-License-Identifier: Apache-2.0
"""The callbacks for training frameworks, without and with the preloaded collector: python_callbacks_test.py MODULE_DIR COLLECTOR. PyTorch is
the real one where it is installed. Lightning and Transformers are stand-ins that have only the base class, and are called in the order that their
documents give."""
import glob
import importlib.util
import os
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import unittest

MODULE_DIR, COLLECTOR = sys.argv[1:3]
del sys.argv[1:3]

TORCH = """
import torch
from ringside import callbacks
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
callbacks.watch_training(model, optimizer)
schedule = torch.optim.lr_scheduler.StepLR(optimizer, 2)
for batch in range(6):
    model(torch.ones(2, 4)).sum().backward()
    if batch % 2 == 1:  # two batches are one step
        optimizer.step()
        optimizer.zero_grad()
        schedule.step()
"""
LIGHTNING = """
from ringside import callbacks
class Trainer:
    global_step = 0
trainer, callback = Trainer(), callbacks.lightning_callback()
for batch in range(6):
    callback.on_train_batch_start(trainer, None, batch, batch)
    trainer.global_step += batch % 2
    callback.on_train_batch_end(trainer, None, None, batch, batch)
callback.on_validation_start(trainer, None)
callback.on_validation_end(trainer, None)
callback.on_train_end(trainer, None)
"""
TRANSFORMERS = """
from ringside import callbacks
callback = callbacks.transformers_callback()
for step in range(3):
    callback.on_step_begin(None, None, None, model=None)
    callback.on_step_end(None, None, None, model=None)
callback.on_train_end(None, None, None)
"""


class Callbacks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def stand_in(self, module, base):
        path = self.folder.joinpath(*module.split("."))
        path.mkdir(parents=True)
        (path / "__init__.py").write_text(f"class {base}:\n    pass\n")

    def run_program(self, program, **more):
        environment = {**os.environ, "PYTHONPATH": f"{MODULE_DIR}:{self.folder}", "RINGSIDE_DIR": str(self.folder / "run.ringside"), **more}
        done = subprocess.run([sys.executable, "-B", "-c", program], env=environment, capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)

    def recorded(self, program):
        """(numbers of the steps, how often each range was recorded)."""
        self.run_program(program)
        self.assertFalse((self.folder / "run.ringside").exists())
        self.run_program(program, LD_PRELOAD=COLLECTOR)
        (file,) = glob.glob(f"{self.folder}/run.ringside/*.db")
        with sqlite3.connect(file) as database:
            steps = [row[0] for row in database.execute("SELECT number FROM step_mark ORDER BY start_ns")]
            ranges = dict(database.execute("SELECT text, count(*) FROM user_range JOIN string ON id = name_id GROUP BY 1"))
        return steps, ranges

    @unittest.skipUnless(importlib.util.find_spec("torch"), "PyTorch is not installed (python3-torch)")
    def test_a_loop_in_pytorch(self):
        steps, ranges = self.recorded(TORCH)
        self.assertEqual(steps[:3], [0, 1, 2])
        self.assertEqual({name: ranges[name] for name in ("forward", "optimizer")}, {"forward": 6, "optimizer": 3})

    def test_lightning_counts_optimizer_steps_and_not_batches(self):
        self.stand_in("lightning.pytorch.callbacks", "Callback")
        steps, ranges = self.recorded(LIGHTNING)
        self.assertEqual(steps, [0, 1, 2, 3])
        self.assertEqual(ranges["evaluation"], 1)

    def test_transformers(self):
        self.stand_in("transformers", "TrainerCallback")
        self.assertEqual(self.recorded(TRANSFORMERS)[0], [0, 1, 2, 3])


if __name__ == "__main__":
    unittest.main()
