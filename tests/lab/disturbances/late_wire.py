# SPDX-License-Identifier: Apache-2.0
"""late_wire.py PORT TAP DELAY_MS [PEER]: carries frames between a network device and a tap that it makes, each DELAY_MS late, or
only those from and to the IPv4 address PEER, as netem would where the kernel has that. Frames keep their offloads (virtio_net_hdr).
Prints a line once it carries; ends with a signal."""

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
ETH_P_ALL, SOL_PACKET, PACKET_VNET_HDR = 3, 263, 15
SO_RCVBUFFORCE = 33
LARGEST = 1 << 17
ADDRESSES = 10 + 14 + 12  # virtio_net_hdr, Ethernet's header, and IPv4's until its source and destination

port, tap, delay_s = sys.argv[1], sys.argv[2], float(sys.argv[3]) / 1000
peer = socket.inet_aton(sys.argv[4]) if len(sys.argv) > 4 else None
wire = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
wire.setsockopt(SOL_PACKET, PACKET_VNET_HDR, 1)
wire.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 27)
wire.bind((port, ETH_P_ALL))
bridge = os.open("/dev/net/tun", os.O_RDWR)
fcntl.ioctl(bridge, TUNSETIFF, struct.pack("16sH22x", tap.encode(), IFF_TAP | IFF_NO_PI | IFF_VNET_HDR))
print("ready", flush=True)



def deliver(end, frame):
    with contextlib.suppress(OSError):  # lost: the device is down or its queue full
        end.send(frame) if end is wire else os.write(end, frame)


def take(end, frame):
    ends = frame[ADDRESSES:ADDRESSES + 4], frame[ADDRESSES + 4:ADDRESSES + 8]
    if peer is None or peer in ends:
        under_way.append((time.monotonic() + delay_s, end, frame))
    else:
        deliver(end, frame)


under_way = collections.deque()  # (when it arrives, where, frame)
while True:
    wait = max(0, under_way[0][0] - time.monotonic()) if under_way else None
    for ready in select.select([wire, bridge], [], [], wait)[0]:
        if ready is wire:
            frame, source = wire.recvfrom(LARGEST)
            if source[2] != socket.PACKET_OUTGOING:  # else what was sent here
                take(bridge, frame)
        else:
            take(wire, os.read(bridge, LARGEST))
    while under_way and under_way[0][0] <= time.monotonic():
        deliver(*under_way.popleft()[1:])
