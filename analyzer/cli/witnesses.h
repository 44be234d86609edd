// SPDX-License-Identifier: Apache-2.0
// Finds in a run directory what others wrote about the job, for `ringside hang`.
#pragma once
#include "hang/ras_witness.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::cli {

/// Adds what the files in the run directory say to the report. A path that is no directory has none. Never
/// throws: a file that cannot be read becomes a witness with the reason. `members` are those of the run.
void addWitnesses(hang::Report& report, const std::filesystem::path& run, const hang::Options& options,
                  const std::vector<hang::RasMember>& members);

/// Returns what of that lies in the run directory, as "2 dumps of PyTorch's flight recorder and an answer of
/// NCCL's RAS". Empty if nothing does, or if the path is no directory.
[[nodiscard]] std::string witnessesText(const std::filesystem::path& run);

} // namespace ringside::cli
