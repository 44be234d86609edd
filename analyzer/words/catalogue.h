// SPDX-License-Identifier: Apache-2.0
// All templates: one file a family of rules in families/, found by its name. `words/late_rank.h`, which the
// build makes of families/late_rank.def, declares the templates of that file in namespace words::late_rank.
#pragma once
#include "words/text.h"

#include <span>
#include <string_view>

namespace ringside::words {

/// In the order of families and of the lines in their files.
[[nodiscard]] std::span<const Template* const> allTemplates();
/// Null if there is none.
[[nodiscard]] const Template* findTemplate(std::string_view id);

} // namespace ringside::words
