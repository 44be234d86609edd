// SPDX-License-Identifier: Apache-2.0
#include "cli/running_runs.h"

#include "host/other_process.h"

#include <ringside/trace/live_snapshot.h>

#include <algorithm>
#include <map>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

bool isWatched(const fs::path& directory)
{
    std::error_code error;
    for (fs::directory_iterator file(directory, error), end; !error && file != end; file.increment(error)) {
        if (file->path().filename().string().ends_with(trace::kLiveSnapshotEnding)) {
            return true;
        }
    }
    return false;
}

std::vector<fs::path> runsHere()
{
    std::vector<fs::path> runs;
    std::error_code error;
    for (fs::directory_iterator entry(".", error), end; !error && entry != end; entry.increment(error)) {
        if (entry->path().extension() == ".ringside") {
            runs.push_back(entry->path().filename());
        }
    }
    return runs;
}

std::vector<fs::path> runsOfProcesses()
{
    std::vector<fs::path> runs;
    for (const pid_t pid : host::allProcesses()) {
        const fs::path run = host::valueIn(host::procFile(pid, "environ"), "RINGSIDE_DIR").value_or("");
        if (run.is_absolute() && std::ranges::find(runs, run) == runs.end()) {
            runs.push_back(run);
        }
    }
    return runs;
}

} // namespace

std::vector<fs::path> findRunningRuns()
{
    std::map<fs::path, fs::path> byRealPath; // the first name of each stays
    for (const auto& list : {runsHere(), runsOfProcesses()}) {
        for (const fs::path& run : list) {
            std::error_code error;
            const fs::path real = fs::canonical(run, error);
            if (!error && isWatched(real)) {
                byRealPath.emplace(real, run);
            }
        }
    }
    std::vector<fs::path> runs;
    for (const auto& [real, run] : byRealPath) {
        runs.push_back(run);
    }
    std::ranges::sort(runs);
    return runs;
}

} // namespace ringside::cli
