// SPDX-License-Identifier: Apache-2.0
#include "flight_dumps/flight_dumps.h"

#include "flight_dumps/places.h"
#include "hang/hang.h"
#include "host/monotonic.h"
#include "host/other_process.h"
#include "host/process.h"
#include "import/importer.h"
#include "output/messages.h"
#include "output/output_file.h"
#include "values/number_runs.h"
#include "values/parse_number.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::flight_dumps {
namespace {

// Reads a file that may be a dump of PyTorch's flight recorder, in a folder where others may write, too.

constexpr std::uint64_t kMostFlightDumpBytes = std::uint64_t{64} << 20U; ///< usual is 1 MiB

struct FlightDumpFile {
    bool isDump = false;
    std::optional<std::string> content; ///< null: larger than the limit
};

namespace fs = std::filesystem;

class Descriptor final {
public:
    explicit Descriptor(const fs::path& file)
        // O_NONBLOCK: a FIFO of that name must not stop this program
        : m_descriptor(open(file.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY))
    {}
    ~Descriptor()
    {
        if (m_descriptor >= 0) {
            close(m_descriptor);
        }
    }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    [[nodiscard]] int get() const { return m_descriptor; }

private:
    int m_descriptor;
};

/// Reads from the current position on, until `bytes` are there or the file ends.
void readMore(int descriptor, std::size_t bytes, std::string& content)
{
    std::size_t filled = content.size();
    content.resize(bytes);
    while (filled < bytes) {
        const ssize_t got = read(descriptor, content.data() + filled, bytes - filled);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            break;
        }
        filled += static_cast<std::size_t>(got);
    }
    content.resize(filled);
}

/// A prefix such as /data/out_ also begins the names of other files.
bool isDump(std::string_view head, const fs::path& file)
{
    const auto importer = std::ranges::find_if(
        importers::all(), [](const auto* each) { return each->id == "flight_recorder"; });
    return (*importer)->recognises(head, file);
}

/// Reads the file. A link, a FIFO, another user's file and a file with other contents are no dump.
FlightDumpFile readFlightDump(const fs::path& file)
{
    const Descriptor descriptor(file);
    struct stat status {};
    if (descriptor.get() < 0 || fstat(descriptor.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
        status.st_uid != geteuid()) {
        return {};
    }
    const auto bytes = static_cast<std::uint64_t>(status.st_size);
    std::string content;
    readMore(descriptor.get(), std::min<std::uint64_t>(bytes, importers::kHeadBytes), content);
    if (!isDump(content, file)) {
        return {};
    }
    if (bytes > kMostFlightDumpBytes) {
        return {true, std::nullopt};
    }
    readMore(descriptor.get(), bytes, content);
    return {true, std::move(content)};
}

namespace fs = std::filesystem;

constexpr std::int64_t kSecondNs = 1'000'000'000;
/// A job has minutes between a dump and its end, and a home directory may lie on a file server.
constexpr std::int64_t kLookEveryNs = 5 * kSecondNs;
constexpr std::int64_t kFirstPlacesPauseNs = kSecondNs;
constexpr std::int64_t kLongestPlacesPauseNs = 60 * kSecondNs;
constexpr std::uint64_t kMostCopiedBytes = std::uint64_t{1} << 30U; ///< of all copies of this host
constexpr std::size_t kMostDumps = 1024;                            ///< of ranks on this host
constexpr std::size_t kMostFolderEntries = 100'000;                 ///< of a folder, such as a full /tmp
constexpr std::size_t kMostRankDigits = 7;

/// Files carry the time of the kernel's coarse clock, which is behind the exact one.
std::int64_t fileClockNs()
{
    timespec now{};
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return std::int64_t{now.tv_sec} * kSecondNs + now.tv_nsec;
}

std::int64_t writtenNs(const struct stat& status)
{
    return std::int64_t{status.st_mtim.tv_sec} * kSecondNs + status.st_mtim.tv_nsec;
}

std::optional<std::int64_t> rankOfDump(const std::string& name, const std::string& prefix)
{
    return name.starts_with(prefix) && name.size() <= prefix.size() + kMostRankDigits
               ? values::parseNumber<std::int64_t>(std::string_view(name).substr(prefix.size()))
               : std::nullopt;
}

std::optional<std::string> ownVariable(std::string_view name)
{
    const char* const value = std::getenv(std::string(name).c_str());
    return value != nullptr ? std::optional<std::string>(value) : std::nullopt;
}

} // namespace

FlightDumps::FlightDumps(fs::path run)
    : m_run(std::move(run))
    , m_host(host::hostName())
    , m_startNs(fileClockNs())
    , m_placesPauseNs(kFirstPlacesPauseNs)
{}

void FlightDumps::look()
{
    const std::int64_t now = host::monotonicNs();
    try {
        if (now >= m_nextPlacesNs) {
            m_nextPlacesNs = now + m_placesPauseNs;
            m_placesPauseNs = std::min(2 * m_placesPauseNs, kLongestPlacesPauseNs);
            findPlaces();
        }
        if (now >= m_nextLookNs) {
            m_nextLookNs = now + kLookEveryNs;
            copyAll(When::Stable);
        }
    } catch (const std::exception& error) {
        warn(error.what());
    }
}

void FlightDumps::finish()
{
    try {
        copyAll(When::Now);
    } catch (const std::exception& error) {
        warn(error.what());
    }
}

/// A launch script may set the variables, and torchrun tells the ranks of its workers.
void FlightDumps::findPlaces()
{
    std::error_code error;
    for (const std::string& prefix : dumpPrefixes(ownVariable, fs::current_path(error))) {
        m_prefixes.insert(prefix);
    }
    for (const pid_t pid : host::withDescendants({getpid()})) {
        const std::string environment = host::procFile(pid, "environ");
        const auto variable = [&](std::string_view name) { return host::valueIn(environment, name); };
        const fs::path folder = fs::read_symlink(fmt::format("/proc/{}/cwd", pid), error);
        if (environment.empty() || error) {
            continue; // it ended, or belongs to another user
        }
        for (const std::string& prefix : dumpPrefixes(variable, folder)) {
            if (m_prefixes.size() < kMostDumps) {
                m_prefixes.insert(prefix);
            }
        }
        if (const auto rank = values::parseNumber<std::int64_t>(variable("RANK").value_or(""))) {
            m_ranks.insert(*rank);
        }
    }
}

void FlightDumps::copyAll(When when)
{
    std::set<std::int64_t> copied;
    for (const std::string& prefix : m_prefixes) {
        visit(prefix, when, copied);
    }
    if (!copied.empty()) {
        output::printMessage("ringside: PyTorch's flight recorder wrote what {} did last: copied to {}\n",
                             values::rankList({copied.begin(), copied.end()}),
                             (m_run / kFlightDumpFolder).string());
    }
}

void FlightDumps::visit(const fs::path& prefix, When when, std::set<std::int64_t>& copied)
{
    std::size_t entries = 0;
    std::error_code error;
    for (fs::directory_iterator entry(prefix.parent_path(), error), end;
         !error && entry != end && entries < kMostFolderEntries; entry.increment(error), ++entries) {
        const auto rank = rankOfDump(entry->path().filename().string(), prefix.filename().string());
        const bool ours = rank && *rank >= 0 && (m_ranks.empty() || m_ranks.contains(*rank));
        if (ours && copyIfNew(entry->path(), *rank, when)) {
            copied.insert(*rank);
        }
    }
}

bool FlightDumps::copyIfNew(const fs::path& file, std::int64_t rank, When when)
{
    struct stat status {};
    if (lstat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid() ||
        status.st_size == 0 || writtenNs(status) < m_startNs) {
        return false;
    }
    const Seen now{writtenNs(status), static_cast<std::uint64_t>(status.st_size)};
    const auto done = m_done.find(file);
    if ((done != m_done.end() && done->second == now) || m_seen.size() > kMostDumps) {
        return false;
    }
    Seen& before = m_seen[file];
    const bool stable = before == now;
    before = now;
    if (when == When::Stable && !stable) {
        return false;
    }
    m_done[file] = now;
    return copy(file, rank);
}

bool FlightDumps::copy(const fs::path& file, std::int64_t rank)
{
    const FlightDumpFile dump = readFlightDump(file);
    if (!dump.isDump) {
        return false;
    }
    if (!dump.content || m_copiedBytes + dump.content->size() > kMostCopiedBytes) {
        warn(fmt::format("{} is larger than {} MiB, or all are larger than {} MiB", file.string(),
                         kMostFlightDumpBytes >> 20U, kMostCopiedBytes >> 20U));
        return false;
    }
    const fs::path folder = m_run / kFlightDumpFolder;
    if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) {
        warn(fmt::format("cannot create {}: {}", folder.string(), std::strerror(errno)));
        return false;
    }
    output::OutputFile out(folder / fmt::format("{}_rank_{}", m_host, rank), output::Existing::Replace);
    out.write(*dump.content);
    out.close();
    m_copiedBytes += dump.content->size();
    return true;
}

void FlightDumps::warn(const std::string& text)
{
    if (!m_warned) {
        m_warned = true;
        output::printMessage("ringside: warning: dumps of PyTorch's flight recorder were not copied: {}\n",
                             text);
    }
}

} // namespace ringside::flight_dumps
