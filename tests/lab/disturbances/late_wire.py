# SPDX-License-Identifier: Apache-2.0
"""late_wire.py TAP MAC DELAY_MS ADDRESS=MAC...: a station on a bridge that sends each frame it receives on to the host with the
frame's IPv4 destination, DELAY_MS later, as netem would delay it where the kernel has that. Hosts that take MAC for the hardware
address of another host send through it; what others exchange does not pass here and is not slowed. Frames keep their offloads
(virtio_net_hdr). Prints a line once the tap is there; ends with a signal."""

import collections
import contextlib
import fcntl
import os
import select
import socket
import struct
import sys
import time

TUNSETIFF, IFF_TAP, IFF_NO_PI, IFF_VNET_HDR = 0x400454CA, 0x0002, 0x1000, 0x4000
LARGEST = 1 << 17
VNET_HDR = 10
TYPE = VNET_HDR + 12         # after the hardware addresses of receiver and sender
DESTINATION = TYPE + 2 + 16  # in IPv4's header
IPV4 = b"\x08\x00"


def hardware(text):
    return bytes.fromhex(text.replace(":", ""))


tap, own, delay_s = sys.argv[1], hardware(sys.argv[2]), float(sys.argv[3]) / 1000
receivers = {socket.inet_aton(address): hardware(mac) for address, mac in (word.split("=") for word in sys.argv[4:])}
bridge = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(bridge, TUNSETIFF, struct.pack("16sH22x", tap.encode(), IFF_TAP | IFF_NO_PI | IFF_VNET_HDR))
print("ready", flush=True)

under_way = collections.deque()  # (when it is sent on, frame)
while True:
    wait = max(0, under_way[0][0] - time.monotonic()) if under_way else None
    if select.select([bridge], [], [], wait)[0]:
        frame = os.read(bridge, LARGEST)
        receiver = receivers.get(frame[DESTINATION:DESTINATION + 4])
        if frame[TYPE:TYPE + 2] == IPV4 and receiver:  # else the bridge's own, as IPv6's announcements
            under_way.append((time.monotonic() + delay_s, frame[:VNET_HDR] + receiver + own + frame[TYPE:]))
    while under_way and under_way[0][0] <= time.monotonic():
        with contextlib.suppress(OSError):  # lost: the device is down or its queue full
            os.write(bridge, under_way.popleft()[1])
