// SPDX-License-Identifier: Apache-2.0
// Reads NCCL's configuration files, and finds variables that are set but that the loaded library does
// not contain. It reads files, so only the drain thread calls it.
#pragma once
#include <ringside/trace/writer.h>

namespace ringside::collector {

/// `anyFunction`: a function of the loaded NCCL, by which its file is found. Writes settings of source
/// library, `nccl_path` and `nccl_unknown_variables` (names with commas; no row: not looked up), and of
/// source nccl.conf, what the files set.
void writeNcclSettings(trace::Writer& writer, const void* anyFunction);

} // namespace ringside::collector
