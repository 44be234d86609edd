# SPDX-License-Identifier: Apache-2.0
"""A full disk, and a small /dev/shm."""

from scoring.losses import NoRoom


def scenarios():
    for size in ("64k", "1m", "4m"):
        yield NoRoom(f"full_disk_{size}", size, loses=size != "4m")
    for size in ("64k", "4m"):
        yield NoRoom(f"small_shm_{size}", size, shared_memory=True, loses=False)
