// SPDX-License-Identifier: Apache-2.0
// What one file holds before a reader sees it: the outputs of several hosts as pdsh and clush print them,
// those for several ports one after the other, a mark of its encoding, JSON instead of text, and an end that
// may be cut.
#pragma once
#include "tool_output/reading.h"

namespace ringside::tool_output {

struct Parts {
    std::vector<File> files; ///< one for each host that the file names, and each output; else the file itself
    std::vector<std::string> failures; ///< of tools that say that they failed; their outputs are left out
    bool isCut = false;                ///< its end is missing; a line or port that is not whole was left out
};
[[nodiscard]] Parts partsOf(File file);

} // namespace ringside::tool_output
