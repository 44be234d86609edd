// SPDX-License-Identifier: Apache-2.0
// Opens whatever a job left, for `ringside hang`: dumps and logs, mixed in one folder, some of a rank twice.
// Each kind of file is a witness of its own, because several kinds tell of the same ranks.
#pragma once
#include "cli/run_input.h"

#include <ringside/trace/reader.h>

#include <filesystem>
#include <string>
#include <vector>

namespace ringside::cli {

/// The files of one kind.
struct LeftFiles {
    std::string source; ///< such as "flight_recorder"
    std::string title;  ///< such as "PyTorch flight recorder"
    trace::RunTrace run;
    std::vector<std::string> notes; ///< files that were left out or could not be read, and why
};

/// Opens the dumps and logs among `paths`, by what they tell of a hang: that kind first of which most is
/// known. Native traces are left out, also in directories. Of two dumps of a rank the newer one counts. Empty
/// if there are none. A kind that cannot be read at all has a run without processes, and the reason as a
/// note.
[[nodiscard]] std::vector<LeftFiles> openLeftFiles(const RunPaths& paths);

/// Returns the regular files of the paths; of a directory with native traces only those beside them.
[[nodiscard]] std::vector<std::filesystem::path> leftFilesOf(const RunPaths& paths);

} // namespace ringside::cli
