// SPDX-License-Identifier: Apache-2.0
#include "host/process.h"

#include "host/input_file.h"
#include "host/kept_file.h"
#include "host/proc_text.h"
#include "values/parse_number.h"

#include <unistd.h>

#include <array>
#include <cstdlib>

namespace ringside::host {

std::optional<ProcessStat> parseProcessStat(std::string_view text)
{
    // the name may contain any characters, also blanks and parentheses
    const std::size_t name = text.rfind(')');
    if (name == std::string_view::npos) {
        return std::nullopt;
    }
    text.remove_prefix(name + 1);
    constexpr int kState = 3; // fields count from 1, and this is the first one after the name
    constexpr int kParent = 4;
    constexpr int kThreads = 20;
    constexpr int kStart = 22;
    constexpr int kResident = 24;
    constexpr int kWaitStatus = 52;
    ProcessStat stat;
    for (int field = kState; field <= kWaitStatus; ++field) {
        const std::string_view word = takeWord(text);
        if (field == kState) {
            stat.state = word.empty() ? '\0' : word.front();
        }
        const auto value = numberIn(word);
        if (field == kWaitStatus) {
            stat.waitStatus = value ? std::optional(static_cast<int>(*value)) : std::nullopt;
        } else if (field == kParent || field == kThreads || field == kStart || field == kResident) {
            if (!value) {
                return std::nullopt;
            }
            (field == kParent    ? stat.parent
             : field == kThreads ? stat.threads
             : field == kStart   ? stat.startTicks
                                 : stat.residentPages) = *value;
        }
    }
    return stat;
}

std::optional<ProcessStat> processStat(const std::string& pid)
{
    // not with a stream buffer, which throws if the process ends between opening and reading
    const KeptFile file("/proc/" + pid + "/stat");
    std::array<char, 4096> buffer; // only the written part is read
    const auto text = file.isOpen() ? file.read(buffer) : std::nullopt;
    return text ? parseProcessStat(*text) : std::nullopt;
}

std::optional<std::uint32_t> ownIdOf(const std::string& pid)
{
    InputFile file("/proc/" + pid + "/status");
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("NSpid:")) {
            return values::parseNumber<std::uint32_t>(
                std::string_view(line).substr(line.find_last_of(" \t") + 1));
        }
    }
    return std::nullopt;
}

std::uint64_t ownStartTicks()
{
    const auto stat = processStat("self");
    return stat ? stat->startTicks : 0;
}

std::string ownPidNamespace()
{
    std::array<char, 64> link{};
    const ssize_t length = readlink("/proc/self/ns/pid", link.data(), link.size());
    return {link.data(), length > 0 ? static_cast<std::size_t>(length) : 0};
}

std::string hostName()
{
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string environmentValue(const char* name)
{
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string bootId()
{
    return firstLine("/proc/sys/kernel/random/boot_id");
}

std::string allowedCpus(const std::string& procRoot)
{
    constexpr std::string_view kKey = "Cpus_allowed_list:";
    InputFile file(procRoot + "/self/status");
    for (std::string line; std::getline(file, line);) {
        std::string_view rest = line;
        if (takeWord(rest) == kKey) {
            return std::string(takeWord(rest));
        }
    }
    return {};
}

} // namespace ringside::host
