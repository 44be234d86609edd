// SPDX-License-Identifier: Apache-2.0
// The sentence of a text, as the report of a recorded run with steps says it.
#pragma once
#include "words/render.h"

namespace ringside::words {

inline std::string said(const Text& text)
{
    return render(text, {});
}

} // namespace ringside::words
