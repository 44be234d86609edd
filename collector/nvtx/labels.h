// SPDX-License-Identifier: Apache-2.0
// Names that programs give to threads and categories. Kept from the moment they are given, also before the
// recording begins (they start none), and written by the drain thread.
#pragma once
#include "nvtx/names.h"

namespace ringside::trace {
class Writer;
}

namespace ringside::collector::nvtx {

/// `tid` is the kernel's.
void nameThread(std::uint32_t tid, std::string_view text);
void nameCategory(Name* domain, std::uint32_t category, std::string_view text);

/// Writes those that are new: a thread's name once the thread has a row.
void writeLabels(trace::Writer& writer);
/// Names for which there was no room.
std::uint64_t refusedLabels();

} // namespace ringside::collector::nvtx
