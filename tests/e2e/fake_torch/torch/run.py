# SPDX-License-Identifier: Apache-2.0
"""torchrun of the fake torch: one worker, in a session of its own, as PyTorch's agent starts it."""

import os
import subprocess
import sys

words = sys.argv[1:]
options = dict(zip(words[:8:2], words[1:8:2]))
sys.exit(subprocess.run([sys.executable, *words[8:]], start_new_session=True, check=False, env={
    **os.environ, "RANK": "0", "WORLD_SIZE": "1", "LOCAL_RANK": "0", "MASTER_ADDR": options["--master-addr"],
    "MASTER_PORT": options["--master-port"], "TORCHELASTIC_RUN_ID": "none"}).returncode)
