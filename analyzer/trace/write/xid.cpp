// SPDX-License-Identifier: Apache-2.0
#include <ringside/trace/xid.h>

#include <algorithm>
#include <array>

namespace ringside::trace {
namespace {

constexpr auto kXids = std::to_array<XidEntry>({
#define RINGSIDE_XID(number, meaning, restart, hardware)                                                     \
    {number, meaning, XidRestart::restart, XidHardware::hardware},
#include "trace/vocabulary/xids.def"
});
static_assert(std::ranges::is_sorted(kXids, {}, &XidEntry::number));

} // namespace

const XidEntry* findXid(std::int64_t number)
{
    const auto* const found = std::ranges::lower_bound(kXids, number, {}, &XidEntry::number);
    return found != kXids.end() && found->number == number ? found : nullptr;
}

bool isFatalXid(std::int64_t number)
{
    const XidEntry* const entry = findXid(number);
    return entry != nullptr && entry->restart >= XidRestart::Gpu;
}

} // namespace ringside::trace
