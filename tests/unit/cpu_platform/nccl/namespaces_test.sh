#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two ranks in two network namespaces joined by a veth pair: the bytes each sends for an all-reduce are 2(n-1)/n x size
# within 10 %. Needs root; leaves no namespace behind.
# Usage: namespaces_test.sh RANK_PROGRAM
set -euo pipefail
program=$1
megabytes=64
rounds=4
first=ringside_a_$$
second=ringside_b_$$

if [ "$(id -u)" -ne 0 ] || ! ip netns add "$first" 2>/dev/null; then
    echo "skipped: network namespaces need root, CAP_SYS_ADMIN and iproute2"
    exit 77
fi
work=$(mktemp -d)
cleanup() {
    ip netns del "$first" 2>/dev/null || true
    ip netns del "$second" 2>/dev/null || true
    rm -rf "$work"
}
trap cleanup EXIT

ip netns add "$second"
ip -n "$first" link add rs0 type veth peer name rs0 netns "$second" || {
    echo "skipped: the kernel gives no veth pair"
    exit 77
}
ip -n "$first" address add 10.213.0.1/24 dev rs0
ip -n "$second" address add 10.213.0.2/24 dev rs0
for namespace in "$first" "$second"; do
    ip -n "$namespace" link set lo up
    ip -n "$namespace" link set rs0 up
done

sent_bytes() { ip netns exec "$1" cat /sys/class/net/rs0/statistics/tx_bytes; }
start() { ip netns exec "$1" timeout 120 "$program" "$2" 2 "$work/id" $((megabytes * 262144)) "$rounds"; }

before_first=$(sent_bytes "$first")
before_second=$(sent_bytes "$second")
start "$first" 0 &
rank0=$!
start "$second" 1
wait "$rank0"

expected=$((megabytes * 1048576 * rounds)) # 2(n-1)/n is 1 for two ranks
status=0
check() {
    local sent=$(($3 - $2))
    echo "$1 sent $sent bytes, expected $expected"
    if ((sent < expected * 9 / 10 || sent > expected * 11 / 10)); then
        echo "$1: more than 10 % off" >&2
        status=1
    fi
}
check "rank 0" "$before_first" "$(sent_bytes "$first")"
check "rank 1" "$before_second" "$(sent_bytes "$second")"
exit $status
