#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Process 1 of the machine: brings up what scenarios need, plays those that the kernel's command line names, sends what they
# left in /results through the second serial port, and switches the machine off.
export PATH=/usr/bin:/usr/sbin:/bin:/sbin LC_ALL=C
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/shm /run/netns /results
mount -t tmpfs shm /dev/shm
mount -t tmpfs tmp /tmp
hostname lab
ulimit -l unlimited

# In the order in which modprobe would load them.
while read -r module; do insmod "/modules/$module" || echo "lab: $module was not loaded"; done </modules/order
ip link set lo up

. /lab/hosts.sh
for scenario in $(sed -n 's/.*lab\.scenarios=\([^ ]*\).*/\1/p' /proc/cmdline | tr , ' '); do
    echo "lab: $scenario begins at $(cut -d' ' -f1 /proc/uptime) s"
    mkdir -p "/results/$scenario"
    cd "/results/$scenario"
    (. "/lab/scenarios/$scenario.sh") >log 2>&1 || echo "exit code $?" >>log
    remove_hosts >>log 2>&1
    dmesg -c >kernel.log
done
echo "lab: the scenarios end at $(cut -d' ' -f1 /proc/uptime) s"

stty -F /dev/ttyS1 raw
cd /results
# What was recorded stays here: the tools have said what is in it.
rm -rf ./*/run.ringside
tar -cf /dev/ttyS1 .
poweroff -f
