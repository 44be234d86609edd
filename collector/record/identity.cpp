// SPDX-License-Identifier: Apache-2.0
#include "record/identity.h"

#include "record/ranks.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>

namespace ringside::collector {
namespace {

struct Launcher {
    const char* rank;
    const char* localRank;
    const char* worldSize;
};
// In this order: torchrun sets RANK also under the others.
constexpr std::array kLaunchers{
    Launcher{"RANK", "LOCAL_RANK", "WORLD_SIZE"},
    Launcher{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_SIZE"},
    Launcher{"PMI_RANK", "MPI_LOCALRANKID", "PMI_SIZE"},
    Launcher{"SLURM_PROCID", "SLURM_LOCALID", "SLURM_NTASKS"},
};
constexpr std::array<std::string_view, 8> kPrefixes{"NCCL_", "TORCH_", "PYTORCH_",  "CUDA_",
                                                    "OMP_",  "SLURM_", "RINGSIDE_", "OMPI_COMM_WORLD_"};
constexpr std::array<std::string_view, 12> kNames{
    "RANK",       "WORLD_SIZE",  "LOCAL_RANK",      "LOCAL_WORLD_SIZE",
    "GROUP_RANK", "MASTER_ADDR", "MASTER_PORT",     "TORCHELASTIC_RESTART_COUNT",
    "PMI_RANK",   "PMI_SIZE",    "LD_LIBRARY_PATH", "NVIDIA_VISIBLE_DEVICES"};

std::optional<std::int64_t> number(const char* name)
{
    const char* text = std::getenv(name);
    char* end = nullptr;
    const long long value = text != nullptr ? std::strtoll(text, &end, 10) : 0;
    return text != nullptr && end != text && *end == '\0' ? std::optional<std::int64_t>(value) : std::nullopt;
}

std::string firstLine(const char* path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// The program, and the script when the program is an interpreter.
std::string commandName()
{
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
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

bool containsIgnoringCase(std::string_view text, std::string_view part)
{
    const auto same = [](char a, char b) {
        return std::toupper(static_cast<unsigned char>(a)) == std::toupper(static_cast<unsigned char>(b));
    };
    return std::search(text.begin(), text.end(), part.begin(), part.end(), same) != text.end();
}

bool isTokenCharacter(char c)
{
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-';
}

// At the value's begin what begins like a token, further inside what also is as long as one: "/opt/sk-learn"
// is none.
bool hasToken(std::string_view value)
{
    constexpr std::array<std::string_view, 6> kBegins{"hf_", "sk-", "ghp_", "eyJ", "AKIA", "-----BEGIN"};
    constexpr std::size_t kShortest = 16;
    for (const std::string_view begin : kBegins) {
        for (std::size_t at = value.find(begin); at != std::string_view::npos;
             at = value.find(begin, at + 1)) {
            const std::string_view rest = value.substr(at);
            const auto end = std::ranges::find_if_not(rest, isTokenCharacter);
            const bool isWord = at == 0 || !isTokenCharacter(value[at - 1]);
            if (at == 0 || (isWord && static_cast<std::size_t>(end - rest.begin()) >= kShortest)) {
                return true;
            }
        }
    }
    return false;
}

// scheme://user@host, user:password@host
bool hasUserBeforeHost(std::string_view value)
{
    const std::size_t at = value.rfind('@');
    return at != std::string_view::npos && value.substr(0, at).find(':') != std::string_view::npos;
}

} // namespace

ProcessNames nameProcess(const std::string& runDirectory)
{
    char host[65] = "unknown";
    gethostname(host, sizeof host - 1);
    ProcessNames names{host, {}, runDirectory};
    std::array<char, 4096> absolute{};
    if (realpath(runDirectory.c_str(), absolute.data()) != nullptr) {
        names.runDirectory = absolute.data();
    }
    std::ranges::replace(names.host, '/', '_');
    const std::string first = names.host + "-" + std::to_string(getpid());
    names.base = first;
    const auto taken = [&names](const char* suffix) {
        return access((names.runDirectory + "/" + names.base + suffix).c_str(), F_OK) == 0;
    };
    for (int attempt = 2; taken(".db") || taken(".rings"); ++attempt) {
        names.base = first + "-" + std::to_string(attempt);
    }
    return names;
}

trace::ProcessRow describeProcess(const ProcessNames& names, std::int64_t startNs)
{
    trace::ProcessRow row;
    row.host = names.host;
    row.bootId = firstLine("/proc/sys/kernel/random/boot_id");
    row.pid = getpid();
    row.startNs = startNs;
    row.command = commandName();
    row.collectorVersion = RINGSIDE_VERSION;
    row.emulated = dlsym(RTLD_DEFAULT, "ringside_platform_enqueue") != nullptr;
    return row;
}

std::optional<trace::RankRow> rankFromEnvironment()
{
    for (const Launcher& launcher : kLaunchers) {
        if (const auto rank = number(launcher.rank); rank.has_value()) {
            trace::RankRow row;
            row.rank = *rank;
            row.localRank = number(launcher.localRank);
            row.worldSize = number(launcher.worldSize);
            row.attempt = number("TORCHELASTIC_RESTART_COUNT").value_or(0);
            row.source = launcher.rank;
            return row;
        }
    }
    return std::nullopt;
}

bool isStoredVariable(std::string_view name)
{
    return std::ranges::find(kNames, name) != kNames.end() ||
           std::ranges::any_of(kPrefixes,
                               [name](std::string_view prefix) { return name.starts_with(prefix); });
}

std::string redacted(std::string_view name, std::string_view value)
{
    constexpr std::array<std::string_view, 8> kSecretNames{"TOKEN",      "SECRET", "PASSW", "KEY",
                                                           "CREDENTIAL", "JWT",    "AUTH",  "COOKIE"};
    const bool secretName = std::ranges::any_of(
        kSecretNames, [name](std::string_view part) { return containsIgnoringCase(name, part); });
    return secretName || hasToken(value) || hasUserBeforeHost(value) ? "(redacted)" : std::string(value);
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
        if (equals != std::string_view::npos && isStoredVariable(name)) {
            const std::string_view value = text.substr(equals + 1);
            writer.add(trace::SettingRow{"environment", std::string(name), redacted(name, value)});
        }
    }
}

} // namespace ringside::collector
