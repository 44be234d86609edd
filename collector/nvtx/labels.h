// SPDX-License-Identifier: Apache-2.0
// Names that programs give to threads and categories. They are kept also before the recording begins
// (they do not start it), and written by the drain thread.
#pragma once
#include "nvtx/names.h"

namespace ringside::trace {
class Writer;
}

namespace ringside::collector::nvtx {

/// `tid`: the kernel's thread id.
void nameThread(std::uint32_t tid, std::string_view text);
void nameCategory(Name* domain, std::uint32_t category, std::string_view text);

/// Writes new names. A thread's name is written when the thread has a row.
void writeLabels(trace::Writer& writer);
/// Number of names for which there was no room.
std::uint64_t refusedLabels();

} // namespace ringside::collector::nvtx
