// SPDX-License-Identifier: Apache-2.0
// What NCCL was told besides the environment, and what it was told in vain: its configuration files, and
// variables that the library which was loaded does not contain. Reads files, so it belongs to the drain
// thread.
#pragma once
#include <ringside/trace/writer.h>

namespace ringside::collector {

/// `anyFunction` is one of the NCCL that was loaded; its file is found by it. Rows: library `nccl_path`, and
/// `nccl_unknown_variables` (names with commas; no row: not looked up), nccl.conf: what those files set.
void writeNcclSettings(trace::Writer& writer, const void* anyFunction);

} // namespace ringside::collector
