// SPDX-License-Identifier: Apache-2.0
#include "import/write_run.h"

#include "trace/read/parallel.h"
#include "trace/read/unfinished.h"

#include <ringside/trace/write_process.h>

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringside::importers {
namespace {

/// "HOST-PID.db" as a recorder names it; unique, whatever the files said.
std::filesystem::path fileOf(const trace::ProcessTrace& process, std::set<std::string>& taken)
{
    std::string host = process.process.host.empty() ? "imported" : process.process.host;
    std::ranges::replace(host, '/', '_');
    const std::string name = fmt::format("{}-{}", host, process.process.pid);
    std::string unique = name;
    for (int i = 2; !taken.insert(unique).second; ++i) {
        unique = fmt::format("{}-{}", name, i);
    }
    return unique + ".db";
}

} // namespace

void writeRun(const trace::RunTrace& run, const std::filesystem::path& directory)
{
    std::set<std::string> taken;
    std::vector<trace::Unfinished> files;
    for (const trace::ProcessTrace& process : run.processes) {
        files.emplace_back(directory / fileOf(process, taken));
    }
    trace::parallelFor(files.size(), trace::coreCount(), [&](std::size_t i) {
        trace::writeProcess(run.processes[i], files[i].path(),
                            i == 0 ? run.issues : std::vector<trace::IssueRow>());
    });
    for (trace::Unfinished& file : files) {
        file.keep();
    }
}

} // namespace ringside::importers
