// SPDX-License-Identifier: Apache-2.0
// Creates, assigns and removes the ring files of this process. They are on tmpfs, because writeback
// would stall writers. All rings of all processes together take at most a quarter of the free space of
// /dev/shm, which NCCL needs too; further rings are placed in the run directory. The file BASE.rings in
// the run directory lists the directories, one a line, so that recovery finds them.
#pragma once
#include "record/network_file_system.h"
#include "record/ring.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ringside::collector {

class NewFile;

struct ProcessNames {
    std::string host;
    std::string base; ///< HOST-PID, or HOST-PID-N where a file of that name exists (exec, reused pid)
    std::string runDirectory;
    [[nodiscard]] std::string database() const { return runDirectory + "/" + base + ".db"; }
};

class RingStore final {
public:
    explicit RingStore(ProcessNames names, IsNetworkDirectory isNetwork = &isNetworkDirectory);

    /// Returns a new ring of `bytes` (a power of two), or a smaller one if memory is scarce or there are
    /// many. Null, with one message: the thread is not recorded. Any thread may call it: no descriptor of the
    /// program's table is used.
    Ring* create(trace::RingRole role, std::size_t bytes);
    /// Returns a ring whose former thread has ended and whose records are committed, or a new one.
    Ring* acquire(std::uint32_t threadId, std::size_t bytes);

    [[nodiscard]] std::vector<Ring*> rings() const;
    [[nodiscard]] const ProcessNames& names() const { return m_names; }
    /// Threads that are not recorded because there was no room for their ring.
    [[nodiscard]] std::uint64_t refusedThreads() const
    {
        return m_refusedThreads.load(std::memory_order_relaxed);
    }
    // Directories for a database that is not in the run directory: private, listed in BASE.rings and
    // removed like those of the rings. Empty: there is none.
    /// In memory, within the share of the rings.
    [[nodiscard]] std::string shareOfMemory(std::size_t bytes);
    /// On a disk of this host: below TMPDIR or /tmp.
    [[nodiscard]] std::string directoryOnThisHost();
    /// The run directory is on a network file system. The program's threads must not write to mapped
    /// pages there.
    [[nodiscard]] bool isRunRemote() const { return m_runRemote; }

    /// Issues for the trace: rings that are smaller or on a disk.
    struct Shortage {
        std::size_t smallestBytes = 0; ///< of a ring that is smaller than asked; 0: none is
        std::string disk;              ///< where rings lie that found no room in memory; empty: none
        bool operator==(const Shortage&) const = default;
    };
    [[nodiscard]] Shortage shortage() const;

    /// Removes all files after a clean close, when the records are in the database.
    void removeFiles();

private:
    [[nodiscard]] Ring* createHere(trace::RingRole role, std::size_t bytes);
    [[nodiscard]] std::unique_ptr<Ring> makeInMemory(trace::RingRole role, std::size_t bytes);
    [[nodiscard]] std::unique_ptr<Ring> makeOnDisk(trace::RingRole role, std::size_t bytes);
    [[nodiscard]] std::string memoryDirectory(std::size_t bytes);
    [[nodiscard]] std::string diskDirectory(std::size_t bytes);
    [[nodiscard]] std::string localDirectory();
    [[nodiscard]] std::string makeAnnounced(const std::string& place);
    [[nodiscard]] bool announce(const std::string& directory);
    [[nodiscard]] std::string list() const; ///< HOST-PID.rings
    void sign(const std::string& directory) const;
    [[nodiscard]] std::unique_ptr<Ring> make(const std::string& directory, trace::RingRole role,
                                             std::size_t bytes);
    [[nodiscard]] std::unique_ptr<Ring> makeNamed(const NewFile& file, const std::string& path,
                                                  trace::RingRole role, std::size_t bytes);
    void fillHeader(Ring& ring, trace::RingRole role) const;

    ProcessNames m_names;
    IsNetworkDirectory m_isNetwork;
    bool m_runRemote;
    std::string m_shmDirectory;   ///< empty until one was made
    std::string m_localDirectory; ///< likewise, below TMPDIR or /tmp
    Shortage m_shortage;
    std::vector<std::string> m_directories;
    bool m_listed = false; ///< the list is there, and ours
    mutable std::mutex m_mutex;
    std::vector<std::unique_ptr<Ring>> m_rings;
    bool m_refused = false;
    std::atomic<std::uint64_t> m_refusedThreads{0};
};

} // namespace ringside::collector
