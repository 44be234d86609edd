// SPDX-License-Identifier: Apache-2.0
// Writes as settings, once, on which CPUs the process may run, how much memory it may lock, and how much
// shared memory the host has. So a report can distinguish a rank without CPUs of its own from a slow
// one. Reads /proc, /sys and the size of /dev/shm; a value that cannot be read has no row.
#pragma once
#include <ringside/trace/writer.h>

#include <string>

namespace ringside::collector {

/// Describes this process and its machine. `sysfsRoot`: record/options.h.
void writePlacement(trace::Writer& writer, const std::string& sysfsRoot);
/// Writes the NUMA node of a GPU. `busId`: its PCI bus id as CUDA formats it.
void writeDevicePlacement(trace::Writer& writer, const std::string& sysfsRoot, int ordinal,
                          std::string busId);

} // namespace ringside::collector
