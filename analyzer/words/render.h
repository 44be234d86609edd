// SPDX-License-Identifier: Apache-2.0
// Makes sentences of texts. The only place where a value of a template gets its unit, its digits and its
// number.
#pragma once
#include "words/text.h"
#include "words/voice.h"

#include <string>

namespace ringside::words {

/// Returns the sentence. A slot without a value, or with one of another kind than its mark, shows as the mark
/// itself ("{steps:count}"); tests of all texts look for that.
[[nodiscard]] std::string render(const Text& text, const Voice& voice);

} // namespace ringside::words
