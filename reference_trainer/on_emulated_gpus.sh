#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs a command on the emulated CUDA, cuBLAS, NCCL, CUPTI and NVML libraries of build/dev, with the A100-like device model:
#   on_emulated_gpus.sh ddp_trainer --nproc 4 --steps 60
# Use it behind `ringside record --`, so that the real CUDA libraries stay what everything else sees.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=${RINGSIDE_BUILD:-$here/../build/dev}
export LD_LIBRARY_PATH=$build/lib/cpu_platform${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export RINGSIDE_DEVICE_MODEL=${RINGSIDE_DEVICE_MODEL:-$here/cpu_platform/device_models/a100_like.conf}
export OPENBLAS_NUM_THREADS=1
export PATH=$build/bin:$PATH
exec "$@"
