// SPDX-License-Identifier: Apache-2.0
// What the names of ranges and functions say about the host's time. The collector's step summaries and the
// analyzer's metrics read them alike.
#pragma once
#include <string_view>

namespace ringside::trace {

/// Whether the name of a range shows that it loads data.
[[nodiscard]] bool isDataLoadingRange(std::string_view name);
/// Whether this function of the CUDA runtime returns only after the device has finished its work.
[[nodiscard]] bool isBlockingCall(std::string_view api);

} // namespace ringside::trace
