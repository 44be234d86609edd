// SPDX-License-Identifier: Apache-2.0
// Where the process may run, what it may lock, and how much shared memory its host has: written once as rows
// of table setting, so that a report can tell a rank without CPUs of its own from a slow one. Reads only
// /proc, /sys and the size of /dev/shm; what cannot be read has no row.
#pragma once
#include <ringside/trace/writer.h>

#include <string>

namespace ringside::collector {

/// Of this process and its machine, whose devices are in `sysfsRoot` (record/options.h).
void writePlacement(trace::Writer& writer, const std::string& sysfsRoot);
/// The NUMA node of a GPU, by its PCI bus id as CUDA says it.
void writeDevicePlacement(trace::Writer& writer, const std::string& sysfsRoot, int ordinal,
                          std::string busId);

} // namespace ringside::collector
