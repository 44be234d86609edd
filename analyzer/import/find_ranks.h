// SPDX-License-Identifier: Apache-2.0
// Which ranks the files of other tools are of, where they do not say it themselves.
#pragma once
#include "import/sources.h"

#include <ringside/trace/reader.h>

#include <vector>

namespace ringside::importers {

/// Assigns ranks to the files that do not contain them: from the file's name, else the next free number,
/// which is an issue of the run. Throws Error (Unusable) if two files claim a rank, or files without ranks
/// cannot be of one recording.
void findRanks(std::vector<Source>& sources, trace::RunTrace& run);

} // namespace ringside::importers
