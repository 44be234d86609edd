#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Two "hosts" (network namespaces joined by a veth pair) of two ranks each train one model, started by each launcher's
# variables: the parameters are those of one process. Needs root; leaves no namespace behind.
# Usage: hosts_test.sh BUILD
set -euo pipefail
build=$(cd "$1" && pwd)
names=(ringside_h0_$$ ringside_h1_$$)
if [ "$(id -u)" -ne 0 ] || ! ip netns add "${names[0]}" 2>/dev/null; then
    echo "skipped: network namespaces need root, CAP_SYS_ADMIN and iproute2"
    exit 77
fi
work=$(mktemp -d)
cleanup() {
    for name in "${names[@]}"; do ip netns del "$name" 2>/dev/null || true; done
    rm -rf "$work"
}
trap cleanup EXIT
ip netns add "${names[1]}"
ip -n "${names[0]}" link add rs0 type veth peer name rs0 netns "${names[1]}" || {
    echo "skipped: the kernel gives no veth pair"
    exit 77
}
for host in 0 1; do
    ip -n "${names[host]}" address add 10.214.0.$((host + 1))/24 dev rs0
    ip -n "${names[host]}" link set lo up
    ip -n "${names[host]}" link set rs0 up
done

export LD_LIBRARY_PATH=$build/lib/cpu_platform OPENBLAS_NUM_THREADS=1 MASTER_ADDR=10.214.0.1
unset RINGSIDE_DEVICE_MODEL RANK WORLD_SIZE LOCAL_RANK MASTER_PORT ${!SLURM_*} ${!OMPI_*} ${!TORCHELASTIC_*}
train() { # HOST FILE
    ip netns exec "${names[$1]}" timeout 60 "$build/bin/ddp_trainer" --hidden 32 --layers 2 --batch 16 --steps 5 --eval 0 \
        --timeout 20 --dump-parameters "$work/$2" >/dev/null 2>>"$work/errors"
}
variables_of() { # LAUNCHER RANK
    case $1 in
    torchrun) echo "RANK=$2 WORLD_SIZE=4 LOCAL_RANK=$(($2 % 2))" ;;
    mpirun) echo "OMPI_COMM_WORLD_RANK=$2 OMPI_COMM_WORLD_SIZE=4 OMPI_COMM_WORLD_LOCAL_RANK=$(($2 % 2))" ;;
    srun) echo "SLURM_PROCID=$2 SLURM_NTASKS=4 SLURM_LOCALID=$(($2 % 2))" ;;
    esac
}

status=0
train 0 alone
for launcher in torchrun mpirun srun; do
    ranks=()
    for rank in 3 2 1 0; do # the host that everybody waits for comes last
        (
            # shellcheck disable=SC2046 # words are what is wanted
            export $(variables_of "$launcher" "$rank")
            train $((rank / 2)) "$launcher"
        ) &
        ranks+=($!)
    done
    for process in "${ranks[@]}"; do wait "$process" || status=1; done
    if python3 - "$work/alone" "$work/$launcher" <<'PYTHON'; then
import array, sys
one, all = (array.array("f", open(path, "rb").read()) for path in sys.argv[1:])
sys.exit(len(one) != len(all) or max(abs(a - b) for a, b in zip(one, all)) > 2e-4)
PYTHON
        echo "$launcher: 4 ranks on 2 hosts have learned what one learns"
    else
        echo "$launcher: the parameters differ from one process's, or there are none" >&2
        status=1
    fi
done
[ "$status" -eq 0 ] || cat "$work/errors" >&2
exit $status
