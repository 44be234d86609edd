// SPDX-License-Identifier: Apache-2.0
#include "record/ring_store.h"

#include "host/cgroup.h"
#include "host/disk_room.h"
#include "host/process.h"
#include "record/message.h"
#include "record/new_file.h"
#include "record/own_descriptors.h"
#include "trace/write/small_file.h"

#include <ringside/trace/private_file.h>
#include <ringside/trace/ring_folders.h>

#include <dirent.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace ringside::collector {
namespace {

constexpr const char* kShm = "/dev/shm";
constexpr std::uint64_t kShareOfFree = 4; ///< of what is free, ours is one part of so many

std::string ownPrefix()
{
    return "ringside-" + std::to_string(getuid()) + "-";
}

// Returns the bytes that ring files of this user's processes take under /dev/shm. Anybody may make files
// whose names are like ours, and whose sizes are not what they take.
std::uint64_t ringBytesOnShm(const std::string& prefix)
{
    std::uint64_t bytes = 0;
    DIR* shm = opendir(kShm);
    if (shm == nullptr) {
        return 0;
    }
    while (const dirent* entry = readdir(shm)) {
        if (!std::string_view(entry->d_name).starts_with(prefix)) {
            continue;
        }
        const std::string folder = std::string(kShm) + "/" + entry->d_name;
        if (DIR* inner = opendir(folder.c_str()); inner != nullptr) {
            struct stat status {};
            while (const dirent* file = readdir(inner)) {
                if (fstatat(dirfd(inner), file->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
                    S_ISREG(status.st_mode) && status.st_uid == geteuid()) {
                    constexpr std::uint64_t kBlockBytes = 512; // of stat(2)
                    bytes += static_cast<std::uint64_t>(status.st_blocks) * kBlockBytes;
                }
            }
            closedir(inner);
        }
    }
    closedir(shm);
    return bytes;
}

std::uint64_t freeBytes(const char* path)
{
    struct statvfs status {};
    return statvfs(path, &status) == 0 ? std::uint64_t{status.f_bavail} * status.f_frsize : 0;
}

/// What can be had of /dev/shm: its pages count in the process's memory group, whose limit may be closer.
std::uint64_t freeMemory()
{
    return std::min(freeBytes(kShm), host::memoryLeft().value_or(~std::uint64_t{0}));
}

constexpr std::size_t kSmallestBytes = std::size_t{256} << 10;

constexpr std::uint64_t kRingsToFit = 12;

/// A process of hundreds of threads does not need hundreds of large rings: twelve have the size that is asked
/// for, the next 24 half of it, the next 48 a quarter, and so on.
std::size_t sizeAfter(std::size_t rings, std::size_t bytes)
{
    const std::size_t share = std::bit_floor(rings / kRingsToFit + 1);
    return std::min(bytes, std::max(bytes / share, kSmallestBytes));
}

/// Prefers many small rings to few large ones: each thread of each process needs a ring.
std::size_t sizeWithin(std::uint64_t room, std::size_t bytes)
{
    const std::size_t fitting = std::bit_floor(static_cast<std::size_t>(room / kShareOfFree / kRingsToFit));
    return std::min(bytes, std::max(fitting, kSmallestBytes));
}

bool fitsFileSizeLimit(std::size_t bytes)
{
    rlimit limit{};
    return getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur >= bytes;
}

// Allocates and touches every page now: in a full tmpfs a hole would raise SIGBUS inside the program's
// call. Returns null, with errno, on failure.
std::byte* mapFile(int file, std::size_t bytes)
{
    if (!fitsFileSizeLimit(bytes)) {
        errno = EFBIG; // asking would raise SIGXFSZ in the program's thread
        return nullptr;
    }
    if (file < 0) {
        return nullptr; // errno says why it could not be opened
    }
    if (const int error = posix_fallocate(file, 0, static_cast<off_t>(bytes)); error != 0) {
        errno = error;
        return nullptr;
    }
    void* const mapping = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, file, 0);
    return mapping != MAP_FAILED ? static_cast<std::byte*>(mapping) : nullptr;
}

bool appendLine(const std::string& path, const std::string& text)
{
    const std::string line = text + "\n";
    constexpr std::size_t kMostBytes = std::size_t{1} << 16; // of the whole list
    if (!fitsFileSizeLimit(kMostBytes)) {
        errno = EFBIG;
        return false;
    }
    const int file = open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
    const bool written =
        file >= 0 && write(file, line.data(), line.size()) == static_cast<ssize_t>(line.size());
    return file >= 0 && close(file) == 0 && written;
}

} // namespace

RingStore::RingStore(ProcessNames names, IsNetworkDirectory isNetwork)
    : m_names(std::move(names)), m_isNetwork(isNetwork), m_runRemote(isNetwork(m_names.runDirectory))
{}

Ring* RingStore::create(trace::RingRole role, std::size_t bytes)
{
    const std::scoped_lock lock(m_mutex);
    Ring* ring = nullptr;
    if (!m_refused && !runWithOwnDescriptors([&] { ring = createHere(role, bytes); })) {
        m_refused = true;
        say(Talk::Always,
            "no thread with descriptors of its own for making a ring (%s): not recording further threads",
            std::strerror(errno));
    }
    return ring;
}

Ring* RingStore::createHere(trace::RingRole role, std::size_t bytes)
{
    if (m_runRemote) { // now, when recording begins: later calls of the program do not wait for a network
        static_cast<void>(localDirectory());
    }
    const std::size_t wanted = sizeAfter(m_rings.size(), bytes);
    auto ring = makeInMemory(role, wanted);
    if (ring == nullptr) {
        ring = makeOnDisk(role, wanted);
    }
    if (ring == nullptr) {
        m_refused = true;
        say(Talk::Always,
            "no room for a ring of %zu bytes in %s or on a disk of this host (%s): not recording further "
            "threads",
            bytes, kShm, std::strerror(errno));
        return nullptr;
    }
    m_rings.push_back(std::move(ring));
    return m_rings.back().get();
}

// A ring that does not fit is placed on a disk, where writeback stalls the writer.
std::unique_ptr<Ring> RingStore::makeInMemory(trace::RingRole role, std::size_t bytes)
{
    std::size_t size = sizeWithin(ringBytesOnShm(ownPrefix()) + freeMemory(), bytes);
    for (; size >= std::min(bytes, kSmallestBytes); size /= 2) {
        const std::string directory = memoryDirectory(trace::kRingHeaderBytes + size);
        if (directory.empty()) {
            continue;
        }
        if (auto ring = make(directory, role, trace::kRingHeaderBytes + size)) {
            if (size < bytes && role == trace::RingRole::Thread) {
                m_shortage.smallestBytes = size;
            }
            return ring;
        }
    }
    return nullptr;
}

// The pages of a file count in the memory group, too, until they are written.
std::unique_ptr<Ring> RingStore::makeOnDisk(trace::RingRole role, std::size_t bytes)
{
    const std::size_t size = sizeWithin(host::memoryLeft().value_or(~std::uint64_t{0}), bytes);
    const std::string directory = diskDirectory(trace::kRingHeaderBytes + size);
    if (directory.empty()) {
        return nullptr;
    }
    auto ring = make(directory, role, trace::kRingHeaderBytes + size);
    if (ring != nullptr) {
        m_shortage.disk = directory;
    }
    return ring;
}

RingStore::Shortage RingStore::shortage() const
{
    const std::scoped_lock lock(m_mutex);
    return m_shortage;
}

// The ring gets its name when its header is complete: readers would take the process of an incomplete
// header for dead. If the file system allows it, it has no name until then, so that it vanishes if the
// process is killed meanwhile.
std::unique_ptr<Ring> RingStore::make(const std::string& directory, trace::RingRole role, std::size_t bytes)
{
    const std::string path =
        directory + "/" + m_names.base + "." + std::to_string(m_rings.size() + 1) + trace::kRingExtension;
    if (auto ring = makeNamed(NewFile(directory), path, role, bytes)) {
        return ring;
    }
    return makeNamed(NewFile(path, trace::kUnfinishedExtension), path, role, bytes);
}

std::unique_ptr<Ring> RingStore::makeNamed(const NewFile& file, const std::string& path, trace::RingRole role,
                                           std::size_t bytes)
{
    std::byte* const mapping = mapFile(file.descriptor(), bytes);
    if (mapping == nullptr) {
        return nullptr;
    }
    auto ring = std::make_unique<Ring>(std::span(mapping, bytes), path);
    fillHeader(*ring, role);
    if (!file.give(path)) {
        const ErrnoKeeper keeper;
        munmap(mapping, bytes);
        return nullptr;
    }
    return ring;
}

Ring* RingStore::acquire(std::uint32_t threadId, std::size_t bytes)
{
    Ring* found = nullptr;
    {
        const std::scoped_lock lock(m_mutex);
        for (const auto& ring : m_rings) {
            if (ring->use.load(std::memory_order_acquire) == Ring::Use::Free) {
                found = ring.get();
                found->use.store(Ring::Use::Owned, std::memory_order_relaxed);
                break;
            }
        }
    }
    if (found == nullptr) {
        found = create(trace::RingRole::Thread, bytes);
    }
    if (found == nullptr) {
        m_refusedThreads.fetch_add(1, std::memory_order_relaxed);
        return nullptr;
    }
    found->header().tid = static_cast<std::uint32_t>(gettid());
    found->header().threadId = threadId;
    found->header().dropped.store(0, std::memory_order_relaxed); // the former thread's are in the trace
    return found;
}

void RingStore::fillHeader(Ring& ring, trace::RingRole role) const
{
    trace::RingHeader& header = ring.header();
    header.role = role;
    header.pid = static_cast<std::uint32_t>(getpid());
    header.processStartTicks = host::ownStartTicks();
    header.createdMonotonicNs = static_cast<std::uint64_t>(readClockNs(CLOCK_MONOTONIC));
    std::snprintf(header.host, sizeof header.host, "%s", m_names.host.c_str());
    std::snprintf(header.processName, sizeof header.processName, "%s", m_names.base.c_str());
    std::snprintf(header.bootId, sizeof header.bootId, "%s", host::bootId().c_str());
    header.ringId = static_cast<std::uint32_t>(m_rings.size() + 1);
}

// Creates a private directory in `place` that recovery can find. Returns an empty path if it cannot be
// created or announced.
std::string RingStore::makeAnnounced(const std::string& place)
{
    std::string pattern = place + "/" + ownPrefix() + "XXXXXX";
    if (mkdtemp(pattern.data()) == nullptr || !announce(pattern)) {
        return {};
    }
    sign(pattern);
    return pattern;
}

// Helps somebody who finds the directory after this process was killed and its run directory is gone.
void RingStore::sign(const std::string& directory) const
{
    const ErrnoKeeper keeper;
    static_cast<void>(trace::replaceFile(directory + "/" + m_names.base + trace::kFolderNoteExtension,
                                         std::to_string(getpid()) + " " +
                                             std::to_string(host::ownStartTicks()) + " " +
                                             host::ownPidNamespace() + "\n" + m_names.runDirectory));
}

std::string RingStore::memoryDirectory(std::size_t bytes)
{
    const std::uint64_t used = ringBytesOnShm(ownPrefix());
    if (used + bytes > (used + freeMemory()) / kShareOfFree) {
        return {};
    }
    if (m_shmDirectory.empty()) {
        m_shmDirectory = makeAnnounced(kShm);
    }
    return m_shmDirectory;
}

std::string RingStore::shareOfMemory(std::size_t bytes)
{
    const std::scoped_lock lock(m_mutex);
    return memoryDirectory(bytes);
}

std::string RingStore::directoryOnThisHost()
{
    const std::scoped_lock lock(m_mutex);
    return localDirectory();
}

std::string RingStore::localDirectory()
{
    if (!m_localDirectory.empty()) {
        return m_localDirectory;
    }
    const char* variable = std::getenv("TMPDIR");
    for (const std::string place : {variable != nullptr ? variable : "", "/tmp"}) {
        const auto room = place.empty() ? std::nullopt : host::diskRoom(place);
        if (room && room->isEnoughToBegin() && !m_isNetwork(place)) {
            m_localDirectory = makeAnnounced(place);
            if (!m_localDirectory.empty()) {
                break;
            }
        }
    }
    return m_localDirectory;
}

std::string RingStore::diskDirectory(std::size_t bytes)
{
    const std::string& place = m_runRemote ? localDirectory() : m_names.runDirectory;
    if (place.empty() || freeBytes(place.c_str()) / kShareOfFree < bytes) {
        errno = ENOSPC; // the trace itself needs room there
        return {};
    }
    if (m_runRemote) {
        return place;
    }
    std::string directory = m_names.runDirectory + "/" + m_names.base + ".ringfiles";
    constexpr mode_t kPrivate = 0700;
    if (std::ranges::find(m_directories, directory) == m_directories.end()) {
        if (mkdir(directory.c_str(), kPrivate) != 0 || !announce(directory)) {
            return {};
        }
    }
    return directory;
}

// Returns false if the line cannot be written into the run directory. Then no rings are made, because
// recovery could not find them.
bool RingStore::announce(const std::string& directory)
{
    const std::string list = this->list();
    m_listed = m_listed || trace::makePrivateFile(list);
    if (m_listed && appendLine(list, directory)) {
        m_directories.push_back(directory);
        return true;
    }
    const ErrnoKeeper keeper;
    rmdir(directory.c_str());
    if (m_listed && m_directories.empty()) {
        unlink(list.c_str());
        m_listed = false;
    }
    return false;
}

std::string RingStore::list() const
{
    return m_names.runDirectory + "/" + m_names.base + ".rings";
}

std::vector<Ring*> RingStore::rings() const
{
    const std::scoped_lock lock(m_mutex);
    std::vector<Ring*> result;
    for (const auto& ring : m_rings) {
        result.push_back(ring.get());
    }
    return result;
}

void RingStore::removeFiles()
{
    const std::scoped_lock lock(m_mutex);
    for (const auto& ring : m_rings) {
        unlink(ring->path().c_str());
    }
    for (const std::string& directory : m_directories) {
        unlink((directory + "/" + m_names.base + trace::kFolderNoteExtension).c_str());
        rmdir(directory.c_str());
    }
    if (m_listed) {
        unlink(list().c_str());
    }
    m_refused = true;
}

} // namespace ringside::collector
