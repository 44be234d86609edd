# SPDX-License-Identifier: Apache-2.0
# A job of two processes over RDMA, and one that marks steps, for which the collector records, until /tmp/over is there. b
# writes messages of 64 KiB into a's memory; for an acknowledgement it waits 0.54 s (2^17 x 4.1 us), eight times.

# In the background only: it takes the place of the shell, so that $! is the program.
write_bw() { exec ib_write_bw -x 1 -s 65536 -u 17 -D 300 -F "$@"; }

write_bw -d rxa >receiver.log 2>&1 &
echo $! >/tmp/receiver
until grep -qE ':4853 0+:0000 0A' /proc/net/tcp /proc/net/tcp6; do sleep 0.1; done # it listens at port 18515
write_bw -d rxb 127.0.0.1 >sender.log 2>&1 &
echo $! >/tmp/sender
mark_steps /tmp/over
