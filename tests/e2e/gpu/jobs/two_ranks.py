# SPDX-License-Identifier: Apache-2.0
"""Starts a job of two ranks on one GPU: two_ranks.py SCRIPT OPTIONS... NCCL refuses two ranks of one host on one GPU, so each gets the
settings of a separate host, and hosts communicate over sockets. If one rank fails, the other is ended."""

import os
import subprocess
import sys
import time

RANKS = 2
NCCL = {"NCCL_NET": "Socket", "NCCL_SOCKET_IFNAME": "lo", "NCCL_P2P_DISABLE": "1", "NCCL_SHM_DISABLE": "1", "NCCL_DEBUG": "WARN"}


def start(rank):
    return subprocess.Popen([sys.executable, "-B", *sys.argv[1:]], env={
        **os.environ, **NCCL, "NCCL_HOSTID": f"host{rank}", "RANK": str(rank), "WORLD_SIZE": str(RANKS), "LOCAL_RANK": "0"})


ranks = [start(rank) for rank in range(RANKS)]
while any(rank.poll() is None for rank in ranks) and not any(rank.poll() for rank in ranks):
    time.sleep(0.1)
for rank in ranks:
    if rank.poll() is None:
        rank.kill()
sys.exit(int(any(rank.wait() for rank in ranks)))
