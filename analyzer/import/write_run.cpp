// SPDX-License-Identifier: Apache-2.0
#include "import/write_run.h"

#include "trace/read/parallel.h"
#include "trace/read/system_error.h"
#include "trace/read/unfinished.h"

#include <ringside/error.h>
#include <ringside/trace/write_process.h>

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>

namespace ringside::importers {
namespace {

/// Returns the name "HOST-PID.db" that the collector would use, with a number if it is already in use.
std::filesystem::path fileOf(const trace::ProcessTrace& process, std::set<std::string>& used)
{
    std::string host = process.process.host.empty() ? "imported" : process.process.host;
    std::ranges::replace(host, '/', '_');
    const std::string name = fmt::format("{}-{}", host, process.process.pid);
    std::string unique = name;
    for (int i = 2; !used.insert(unique).second; ++i) {
        unique = fmt::format("{}-{}", name, i);
    }
    return unique + ".db";
}

} // namespace

void writeRun(const trace::RunTrace& run, const std::filesystem::path& directory)
{
    // Files are written to a separate folder until all are complete. An interruption removes that folder, so
    // that threads that still write cannot create another file.
    const std::filesystem::path beginnings = directory / ".unfinished";
    const trace::Unfinished folder(beginnings, [&] { return mkdir(beginnings.c_str(), 0700) == 0; });
    if (folder.path().empty()) {
        throw trace::systemError("cannot make the folder " + beginnings.string(), errno);
    }
    std::set<std::string> used;
    std::vector<std::string> names;
    for (const trace::ProcessTrace& process : run.processes) {
        names.push_back(fileOf(process, used));
    }
    trace::parallelFor(names.size(), trace::coreCount(), [&](std::size_t i) {
        trace::writeProcess(run.processes[i], beginnings / names[i],
                            i == 0 ? run.issues : std::vector<trace::IssueRow>());
    });
    std::vector<trace::Unfinished> files;
    for (const std::string& name : names) {
        files.emplace_back(directory / name, [&] {
            return rename((beginnings / name).c_str(), (directory / name).c_str()) == 0;
        });
        if (files.back().path().empty()) {
            throw trace::systemError("cannot write " + (directory / name).string(), errno);
        }
    }
    for (trace::Unfinished& file : files) {
        file.keep();
    }
}

} // namespace ringside::importers
