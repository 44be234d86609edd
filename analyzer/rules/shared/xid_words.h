// SPDX-License-Identifier: Apache-2.0
// What NVIDIA's catalogue of Xids means for whoever runs the GPU: what to restart, and who is to blame.
#pragma once
#include "rules/rule.h"

#include <ringside/trace/xid.h>

namespace ringside::rules {

/// Returns the catalogue's entry; that of a number it does not list says so.
[[nodiscard]] trace::XidEntry xidEntryOf(std::int64_t xid);
/// Returns what to do before the GPU is used again, and who is to blame and how to find out.
[[nodiscard]] words::Text xidAdvice(const trace::XidEntry& entry);

} // namespace ringside::rules
