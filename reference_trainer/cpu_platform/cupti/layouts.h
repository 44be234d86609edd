// SPDX-License-Identifier: Apache-2.0
// Sizes of records in the generations of CUPTI. A newer record begins with all members of the older one, so
// that an older record is the start of the newest one.
#pragma once
#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::cupti {

struct Layouts {
    const char* cuda;                        ///< version of the toolkit
    std::uint32_t version;                   ///< result of cuptiGetVersion
    std::size_t kernel, copy, set, peerCopy; ///< bytes of a record
};

[[nodiscard]] const Layouts* newestLayouts();
/// Returns null for a toolkit that is not in the table.
[[nodiscard]] const Layouts* findLayouts(std::string_view cuda);
/// Returns the toolkits of the table, for an error message.
[[nodiscard]] std::string layoutNames();
/// Returns the size of a record of this kind, 0 for kinds that are not emulated.
[[nodiscard]] std::size_t recordSize(const Layouts& layouts, CUpti_ActivityKind kind);

} // namespace ringside::cupti
