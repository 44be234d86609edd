// SPDX-License-Identifier: Apache-2.0
#include "cli/hang_requests.h"

#include "host/process.h"
#include "output/messages.h"
#include "stacks/collect.h"
#include "stacks/thread_snapshot.h"
#include "trace/read/process_state.h"
#include "trace/shell_word.h"

#include <ringside/error.h>
#include <ringside/trace/stacks.h>

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace ringside::cli {
namespace {

struct Request {
    std::uint32_t pid = 0;
    std::uint64_t startTicks = 0;
    std::int64_t hang = 0;
    std::string reason;
};

std::optional<Request> readRequest(const std::filesystem::path& file)
{
    std::ifstream input(file);
    std::string magic;
    int version = 0;
    Request request;
    input >> magic >> version >> request.pid >> request.startTicks >> request.hang;
    std::getline(input >> std::ws, request.reason);
    return input && magic == "ringside-hang" && version == 1 ? std::optional(request) : std::nullopt;
}

bool isOfThisHost(const std::filesystem::path& file)
{
    return file.filename().string().starts_with(host::hostName() + "-");
}

} // namespace

void HangRequests::answer()
{
    for (auto entry = m_stillAttached.begin(); entry != m_stillAttached.end();) {
        stacks::releaseStopped(entry->first, entry->second);
        entry = entry->second.empty() ? m_stillAttached.erase(entry) : std::next(entry);
    }
    std::vector<std::filesystem::path> requests;
    std::error_code error;
    for (const auto& file : std::filesystem::directory_iterator(m_directory, error)) {
        if (file.path().extension() == ".hang" && isOfThisHost(file.path())) {
            requests.push_back(file.path());
        }
    }
    for (const auto& request : requests) {
        try {
            answerOne(request);
        } catch (const std::exception& failure) {
            output::printMessage("ringside: warning: no stacks of {}: {}\n", request.stem().string(),
                                 failure.what());
        }
    }
}

void HangRequests::answerOne(const std::filesystem::path& file)
{
    const auto request = readRequest(file);
    // removed before the answer, which takes time: another request may come meanwhile
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
    const auto here = request ? trace::pidHere(request->pid, request->startTicks) : std::nullopt;
    if (!here) {
        return; // the process ended, or continued and withdrew its request
    }
    output::printMessage("ringside: {} hangs: {}\n", file.stem().string(), request->reason);
    if (!m_adviceGiven) {
        output::printMessage("ringside: to see what it waits for: ringside hang {}\n",
                             trace::shellWord(m_directory.string()));
        m_adviceGiven = true;
    }
    m_onHang();
    const auto pid = static_cast<pid_t>(*here);
    stacks::CollectedStacks stacks = stacks::collectStacks(pid, request->hang);
    trace::writeStacks(std::filesystem::path(file).replace_extension(".stacks"), stacks.rows);
    if (!stacks.stillAttached.empty()) {
        m_stillAttached[pid] = std::move(stacks.stillAttached);
    }
}

} // namespace ringside::cli
