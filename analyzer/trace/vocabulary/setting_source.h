// SPDX-License-Identifier: Apache-2.0
// Where a setting was read: column `source` of table `setting`.
#pragma once
#include "trace/vocabulary/word.h"

#include <array>

namespace ringside::trace {

inline constexpr std::array kSettingSources{
    WordEntry{"environment", "Variables of the process's environment, as far as they are stored."},
    WordEntry{"nccl.conf", "What NCCL's configuration files add to the environment."},
    WordEntry{"library", "Versions of libraries, and what NCCL's library does not contain."},
    WordEntry{"nccl", "What NCCL reported: its log, its profiler interface."},
    WordEntry{"process", "Limits and CPUs of the process, and how it ended."},
    WordEntry{"machine", "CPUs, NUMA nodes, shared memory and RDMA devices of the host."},
    WordEntry{"device", "Where a GPU is in the host: NUMA node and PCI path."},
    WordEntry{"network", "Facts of a network interface, which the name begins with."},
    WordEntry{"kernel", "Settings of the kernel by sysctl's names."},
    WordEntry{"rdma", "Facts of an RDMA port, which the name begins with."},
    WordEntry{"record", "How the process ended, as `ringside record` saw it."},
    WordEntry{"probe", "How `ringside probe --into RUN` measured."},
    WordEntry{"flight_recorder", "Read from a dump of PyTorch's flight recorder."},
    WordEntry{"inspector", "Read from a dump of NCCL Inspector."},
    WordEntry{"kineto", "Read from a trace of the PyTorch profiler."},
};
using SettingSource = Word<kSettingSources>;

} // namespace ringside::trace
