# SPDX-License-Identifier: Apache-2.0
# A job of two ranks over RDMA: b writes messages of 64 KiB into a's memory until it is ended. For an acknowledgement it waits
# 0.54 s (2^17 x 4.1 us), eight times.

# write_bw RANK OPTIONS...: in the background only, for it takes the place of the shell, so that $! is the program.
write_bw() {
    export LAB_RANK="$1" LD_PRELOAD="$LD_PRELOAD:/usr/lib/libmark_steps.so"
    shift
    exec ib_write_bw -x 1 -s 65536 -u 17 -D 300 -F "$@"
}

write_bw 0 -d rxa >receiver.log 2>&1 &
echo $! >/tmp/receiver
until grep -qE ':4853 0+:0000 0A' /proc/net/tcp /proc/net/tcp6; do sleep 0.1; done # it listens at port 18515
write_bw 1 -d rxb 127.0.0.1 >sender.log 2>&1 &
echo $! >/tmp/sender
wait
