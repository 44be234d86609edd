// SPDX-License-Identifier: Apache-2.0
// A timeline that Ringside exports for other programs looks like a trace of another tool, and lacks what a
// run holds.
#pragma once
#include <string_view>

namespace ringside::trace {

/// Stands at the beginning of the JSON files of `ringside export`, as a member of "otherData".
inline constexpr std::string_view kExportMark = R"("exported_by":"ringside")";

} // namespace ringside::trace
