// SPDX-License-Identifier: Apache-2.0
// The waits that lead to the first origin of a report, as a picture shows them.
#pragma once
#include "document/document.h"
#include "hang/hang.h"

#include <optional>

namespace ringside::hang {

/// Null if the report names neither an origin nor a rank that died first.
[[nodiscard]] std::optional<document::WaitChain> waitChainOf(const Report& report);

/// The whole report, for pages: the verdict, who waits for whom, the calls, the ranks and the witnesses.
[[nodiscard]] document::Document documentOf(const Report& report);
/// The document as one self-contained page.
[[nodiscard]] std::string formatHtml(const Report& report);

} // namespace ringside::hang
