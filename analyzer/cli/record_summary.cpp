// SPDX-License-Identifier: Apache-2.0
#include "cli/record_summary.h"

#include "cli/launch.h"
#include "host/disk_room.h"
#include "output/messages.h"
#include "trace/read/run_files.h"
#include "trace/shell_word.h"

#include <ringside/trace/recover.h>

#include <elf.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <optional>
#include <sstream>

namespace ringside::cli {
namespace {

namespace fs = std::filesystem;

std::string countText(std::size_t processes)
{
    return fmt::format("{} process{}", processes, processes == 1 ? "" : "es");
}

/// Returns the file-size limit that the command inherited if a trace does not fit into it, else 0.
std::uint64_t tooSmallFileLimit()
{
    constexpr rlim_t kLeastBytes = (1U << 20U) + 4096; // the ring of definitions
    rlimit limit{};
    const bool small = getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur < kLeastBytes;
    return small ? std::max<std::uint64_t>(limit.rlim_cur, 1) : 0;
}

/// Returns the path that execvp finds; empty: none.
fs::path findProgram(const std::string& name)
{
    if (name.find('/') != std::string::npos) {
        return name;
    }
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        std::error_code absent;
        if (fs::is_regular_file(fs::path(folder) / name, absent)) {
            return fs::path(folder) / name;
        }
    }
    return {};
}

/// Returns the loader that an ELF program of 64 bits names; empty: it is static, and no loader reads
/// LD_PRELOAD for it. Null: it is no such program.
std::optional<std::string> loaderOf(const fs::path& program)
{
    std::ifstream file(program, std::ios::binary);
    Elf64_Ehdr header{};
    file.read(reinterpret_cast<char*>(&header), sizeof header);
    if (!file || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
        header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_type == ET_REL) {
        return std::nullopt;
    }
    file.seekg(static_cast<std::streamoff>(header.e_phoff));
    for (int i = 0; i < header.e_phnum; ++i) {
        Elf64_Phdr segment{};
        file.read(reinterpret_cast<char*>(&segment), sizeof segment);
        if (!file) {
            return std::nullopt;
        }
        if (segment.p_type == PT_INTERP) {
            std::string path(std::min<std::size_t>(segment.p_filesz, PATH_MAX), '\0');
            file.seekg(static_cast<std::streamoff>(segment.p_offset));
            file.read(path.data(), static_cast<std::streamsize>(path.size()));
            return file ? std::optional(path) : std::nullopt;
        }
    }
    return "";
}

bool hasDriver()
{
    std::error_code absent;
    return fs::exists("/dev/nvidiactl", absent) || fs::exists("/dev/dxg", absent); // the device of WSL
}

std::string whyNothing(const RecordedCommand& command)
{
    if (command.isOff) {
        return "--profile off only preloads";
    }
    if (command.isFlightRecorder) {
        return "the flight recorder wrote nothing, because no recorded process died, hung or was asked to "
               "(ringside "
               "record "
               "--attach-control RUN dump)";
    }
    if (const auto room = host::diskRoom(command.runDirectory.string()); room && !room->isEnoughToBegin()) {
        return fmt::format("the disk of {} has no room for a trace ({} KiB are free)",
                           command.runDirectory.string(), room->free / 1024);
    }
    if (const std::uint64_t bytes = tooSmallFileLimit(); bytes > 0) {
        return fmt::format("the file-size limit of {} KiB (ulimit -f) leaves no room for a trace",
                           bytes / 1024);
    }
    const std::optional<std::string> loader = loaderOf(findProgram(command.program));
    if (loader && loader->find("ld-musl-") != std::string::npos) {
        return fmt::format(
            "{} is a program for the C library musl, and the collector records only with glibc; "
            "build it for glibc, or use an image with glibc",
            command.program);
    }
    if (loader && loader->empty()) {
        return fmt::format(
            "{} is a static program, which ignores LD_PRELOAD; if it starts the job "
            "elsewhere (a container, another host), put `ringside record` before the command there",
            command.program);
    }
    const std::string nobody =
        "no process in which the collector is loaded called CUDA or NCCL (work on the CPU, with Gloo or "
        "MPI, does not; in a container or on another host the collector must be installed, and LD_PRELOAD "
        "passed on: `ringside env` prints what to set)";
    return hasDriver() ? nobody + "; `ringside doctor` checks this host"
                       : nobody + ", and this host has no NVIDIA driver (/dev/nvidiactl does not exist)";
}

} // namespace

Stops findStops(const fs::path& runDirectory)
{
    Stops stops;
    try {
        for (const trace::LeftoverRings& process : trace::findLeftoverRings(runDirectory)) {
            const auto reason = process.running ? std::nullopt : trace::stopReason(process);
            if (reason) {
                ++stops[reason->empty() ? "see the collector's message" : *reason];
            }
        }
    } catch (const std::exception&) { // recovery, which follows, reports the failure
    }
    return stops;
}

void printSummary(const RecordedCommand& command, const Stops& stops)
{
    for (const auto& [reason, processes] : stops) {
        output::printMessage("ringside: recording stopped on {}: {}. The command went on unrecorded\n",
                             countText(processes), reason);
    }
    const std::size_t recorded = trace::databasesIn(command.runDirectory).size();
    if (recorded == 0) {
        output::printMessage("ringside: nothing recorded: {}\n", whyNothing(command));
        return;
    }
    const std::string rank = launchOfEnvironment().rank; // such as "RANK=3"
    if (!rank.empty() && !rank.ends_with("=0")) {
        return; // the first rank says it for all that a launcher starts one by one
    }
    const std::string directory = command.runDirectory.string();
    output::printNote("ringside: {} recorded in {}\nringside: next: ringside report {}\n",
                      countText(recorded), directory, trace::shellWord(directory));
}

} // namespace ringside::cli
