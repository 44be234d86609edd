// SPDX-License-Identifier: Apache-2.0
#include "record/identity.h"

#include "host/input_file.h"
#include "host/process.h"
#include "record/emulation.h"
#include "record/ranks.h"

#include <ringside/trace/environment.h>

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace ringside::collector {
namespace {

// The program, and its script if the program is an interpreter.
std::string commandName()
{
    host::InputFile file("/proc/self/cmdline");
    std::string program;
    std::getline(file, program, '\0');
    for (std::string argument; std::getline(file, argument, '\0');) {
        if (argument.ends_with(".py")) {
            program += ' ';
            program += argument;
            break;
        }
    }
    return program;
}

} // namespace

ProcessNames nameProcess(const std::string& runDirectory)
{
    ProcessNames names{host::hostName(), {}, runDirectory};
    std::array<char, 4096> absolute{};
    if (realpath(runDirectory.c_str(), absolute.data()) != nullptr) {
        names.runDirectory = absolute.data();
    }
    std::ranges::replace(names.host, '/', '_');
    const std::string first = names.host + "-" + std::to_string(getpid());
    names.base = first;
    const auto taken = [&names](const char* suffix) {
        struct stat status {};
        return lstat((names.runDirectory + "/" + names.base + suffix).c_str(), &status) == 0;
    };
    for (int attempt = 2; taken(".db") || taken(".rings") || taken(".db.tmp"); ++attempt) {
        names.base = first + "-" + std::to_string(attempt);
    }
    return names;
}

trace::ProcessRow describeProcess(const ProcessNames& names, std::int64_t startNs)
{
    trace::ProcessRow row;
    row.host = names.host;
    row.bootId = host::bootId();
    row.pid = getpid();
    row.startNs = startNs;
    row.command = commandName();
    row.collectorVersion = RINGSIDE_VERSION;
    row.emulated = isPlatformEmulated();
    return row;
}

void writeIdentity(trace::Writer& writer, const ProcessNames& names, std::int64_t startNs)
{
    writer.setProcess(describeProcess(names, startNs));
    if (const auto rank = launchedRank(); rank.has_value()) {
        writer.setRanks({*rank});
    }
    for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable) {
        const std::string_view text(*variable);
        const std::size_t equals = text.find('=');
        const std::string_view name = text.substr(0, equals);
        if (equals != std::string_view::npos && trace::isStoredVariable(name)) {
            const std::string_view value = text.substr(equals + 1);
            writer.add(trace::SettingRow{"environment", std::string(name), trace::redacted(name, value)});
        }
    }
}

} // namespace ringside::collector
