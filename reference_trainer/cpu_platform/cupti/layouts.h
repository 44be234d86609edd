// SPDX-License-Identifier: Apache-2.0
// The sizes of records in the generations of CUPTI. A newer record begins with all of the older one, so every
// generation's record is the newest one cut short.
#pragma once
#include <cupti.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ringside::cupti {

struct Layouts {
    const char* cuda;                        ///< the toolkit's version
    std::uint32_t version;                   ///< what cuptiGetVersion answers
    std::size_t kernel, copy, set, peerCopy; ///< bytes of a record
};

[[nodiscard]] const Layouts* newestLayouts();
/// Null for a toolkit that is not in the table.
[[nodiscard]] const Layouts* findLayouts(std::string_view cuda);
/// The toolkits of the table, for an error message.
[[nodiscard]] std::string layoutNames();
/// Size of a record of this kind, 0 for kinds that we do not write.
[[nodiscard]] std::size_t recordSize(const Layouts& layouts, CUpti_ActivityKind kind);

} // namespace ringside::cupti
