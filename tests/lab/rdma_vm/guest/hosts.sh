# SPDX-License-Identifier: Apache-2.0
# What scenarios are written in: hosts, a job between two of them, and Ringside's tools looking at it.
#
# Host a is the interface va (10.7.0.1) with the soft-RoCE device rxa, behind the port pa of a switch (a bridge); b and c
# likewise. All are in the kernel's first network namespace, for Debian 12's rdma_rxe knows no other: traffic of rxe leaves
# through its own interface all the same, and what a scenario does to va or pa is done to host a alone. For TCP each host has a
# network namespace of its name (10.8.0.1), on another switch that nothing is done to.

hosts="a b c"
number_of() { case $1 in a) echo 1 ;; b) echo 2 ;; c) echo 3 ;; esac; }

make_hosts() {
    ip link add switch type bridge
    ip link set switch mtu 4200 up
    echo 0 >/proc/sys/net/ipv4/conf/all/rp_filter
    for host in $hosts; do
        ip link add "v$host" type veth peer name "p$host"
        ip link set "p$host" mtu 4200 master switch up
        # Packets from another address of this machine are welcome, and only the interface that has an address answers for it.
        echo 0 >"/proc/sys/net/ipv4/conf/v$host/rp_filter"
        echo 1 >"/proc/sys/net/ipv4/conf/v$host/accept_local"
        echo 1 >"/proc/sys/net/ipv4/conf/v$host/arp_ignore"
        ip link set "v$host" mtu 4200 up
        ip addr add "10.7.0.$(number_of "$host")/24" dev "v$host"
        rdma link add "rx$host" type rxe netdev "v$host"
    done
    make_namespaces
    until grep -q :0a07: /sys/class/infiniband/rxc/ports/1/gids/1; do sleep 0.1; done # the last address has become a GID
}

# A second rail a host: the interface wa (10.9.0.1) with the device rya, behind the same switch; `probe` measures both then.
make_second_rails() {
    for host in $hosts; do
        ip link add "w$host" type veth peer name "q$host"
        ip link set "q$host" mtu 4200 master switch up
        echo 0 >"/proc/sys/net/ipv4/conf/w$host/rp_filter"
        echo 1 >"/proc/sys/net/ipv4/conf/w$host/accept_local"
        echo 1 >"/proc/sys/net/ipv4/conf/w$host/arp_ignore"
        ip link set "w$host" mtu 4200 up
        ip addr add "10.9.0.$(number_of "$host")/24" dev "w$host"
        rdma link add "ry$host" type rxe netdev "w$host"
    done
    until grep -q :0a09: /sys/class/infiniband/ryc/ports/1/gids/1; do sleep 0.1; done
    export second_rails=yes
}

remove_second_rails() {
    for host in $hosts; do
        rdma link delete "ry$host"
        ip link delete "w$host"
    done
}

make_namespaces() {
    ip link add tcpswitch type bridge
    ip link set tcpswitch up
    ip addr add 10.8.0.100/24 dev tcpswitch
    for host in $hosts; do
        ip netns add "$host"
        ip link add "t$host" type veth peer name eth0 netns "$host"
        ip link set "t$host" master tcpswitch up
        ip -n "$host" addr add "10.8.0.$(number_of "$host")/24" dev eth0
        ip -n "$host" link set eth0 up
        ip -n "$host" link set lo up
    done
}

remove_hosts() {
    for host in $hosts; do
        rdma link delete "rx$host"
        ip link delete "v$host"
        ip netns delete "$host"
    done
    ip link delete switch
    ip link delete tcpswitch
}

# disturb FROM TO QDISC...: for what one host sends to the other.
disturb() { disturb_rail v 10.7.0 "$@"; }
disturb_second_rail() { disturb_rail w 10.9.0 "$@"; }

disturb_rail() {
    device=$1$3
    address=$2.$(number_of "$4")
    shift 4
    tc qdisc replace dev "$device" root handle 1: prio bands 4
    tc filter add dev "$device" parent 1: protocol ip u32 match ip dst "$address/32" flowid 1:4
    tc qdisc replace dev "$device" parent 1:4 "$@"
}

# How often the thread that samples RDMA has gone to sleep between two readings, in the rank where it did so most. Without other
# programs, which cost this machine much time.
rdma_pauses() {
    most=0
    for process in $(cat /tmp/receiver /tmp/sender); do
        for task in "/proc/$process/task"/*; do
            name=
            { read -r name <"$task/comm"; } 2>/dev/null
            [ "$name" = ringside-rdma ] || continue
            while read -r label count; do
                [ "$label" != voluntary_ctxt_switches: ] || [ "$count" -le "$most" ] || most=$count
            done <"$task/status"
        done
    done
    echo "$most"
}

# sampled_for SECONDS: until a process of the job has been sampled for so long at its ten readings a second. A machine with much
# to do beside reads less often, so that a time by the clock would say little of what was read; after a minute it goes on.
sampled_for() {
    enough=$(($(rdma_pauses) + $1 * 10))
    tries=0
    until [ "$(rdma_pauses)" -ge $enough ] || [ $tries -gt 200 ]; do
        tries=$((tries + 1))
        sleep 0.3
    done
}

# begin_job: b writes into a's memory, both under `ringside record`. Returns when data flows and ports have been read.
# /tmp/receiver and /tmp/sender have a's and b's process.
begin_job() {
    ringside record -o run.ringside -- sh /lab/job.sh &
    tries=0
    until [ "$(cat /sys/class/infiniband/rxb/ports/1/hw_counters/sent_pkts)" -gt 500 ] || [ $tries -gt 300 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    sampled_for 3
}

# b first, for otherwise it would send to nobody.
end_job() {
    kill -KILL "$(cat /tmp/sender)"
    kill -KILL "$(cat /tmp/receiver)"
    wait
}

# The doctor's word on the RDMA ports, now.
doctor() {
    ringside doctor --format json >doctor.json
}

# What the tools say of the job.
look() {
    [ -e doctor.json ] || doctor
    ringside links run.ringside
    # What was read of each source, for whoever wonders why something was not measured.
    ringside query run.ringside "SELECT process_id, tier, active, reason FROM tier"
    ringside query run.ringside "SELECT process_id, source, entity, min(time_ns), max(time_ns), count(DISTINCT time_ns) AS readings
        FROM sample JOIN series USING (process_id) WHERE series.id = series_id GROUP BY 1, 2, 3"
    ringside links run.ringside --format json >links.json
    ringside report run.ringside --format json >report.json
    # What libibverbs told while it was recorded: 10 a port went down, 9 it came up.
    ringside query run.ringside --format csv "SELECT entity, value FROM sample JOIN series USING (process_id)
        WHERE series.id = series_id AND metric = 'async_event' AND value IN (9, 10) ORDER BY time_ns" >events.csv
}

# The ports that processes of the job had queue pairs on.
queue_pairs() {
    ringside query run.ringside --format csv "SELECT entity FROM sample JOIN series USING (process_id)
        WHERE series.id = series_id AND metric = 'queue_pairs' AND value > 0 GROUP BY entity ORDER BY entity" >queue_pairs.csv
}

# host HOST COMMAND...: as if on that host: its name, its network, its RDMA devices.
host() {
    name=$1
    shift
    adapters="=rx$name${second_rails:+,ry$name}"
    nsenter --net="/run/netns/$name" unshare -u sh -c "hostname $name; NCCL_IB_HCA=$adapters \"\$@\"" sh "$@"
}

# probe [OPTION...]: all pairs of the hosts, by `ringside probe`.
probe() {
    cat >/tmp/host <<'HOST'
#!/bin/sh
. /lab/hosts.sh
host "$@"
HOST
    chmod +x /tmp/host
    ringside probe --leader 10.8.0.100 --mib 4 --hosts "/tmp/host a" --hosts "/tmp/host b" --hosts "/tmp/host c" --format json "$@" >probe.json
}
