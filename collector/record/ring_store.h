// SPDX-License-Identifier: Apache-2.0
// Makes, hands out and removes the ring files of this process. On tmpfs, because writeback would stall
// writers; all rings of all processes together take at most a quarter of /dev/shm's free space (NCCL needs it
// too), else they go to the run directory. A small file BASE.rings in the run directory names the
// directories, one a line, so that recovery finds them.
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

    /// A fresh ring of `bytes` (a power of two) or, where memory is scarce, of less, or null with one line
    /// said: then there is no recording for its thread. Any thread may ask: no descriptor of the program's
    /// table is used.
    Ring* create(trace::RingRole role, std::size_t bytes);
    /// A ring whose former thread is gone and whose records are committed, or a fresh one.
    Ring* acquire(std::uint32_t threadId, std::size_t bytes);

    [[nodiscard]] std::vector<Ring*> rings() const;
    [[nodiscard]] const ProcessNames& names() const { return m_names; }
    /// Threads that are not recorded because there was no room for their ring.
    [[nodiscard]] std::uint64_t refusedThreads() const
    {
        return m_refusedThreads.load(std::memory_order_relaxed);
    }
    // Directories for the database where it does not lie in the run directory: private, announced as those of
    // the rings are, and removed with them. Empty: there is none.
    /// In memory, within the share that rings have of it.
    [[nodiscard]] std::string shareOfMemory(std::size_t bytes);
    /// On a disk of this host: below TMPDIR or /tmp.
    [[nodiscard]] std::string directoryOnThisHost();
    /// The run directory is on a network's file system: its pages are never dirtied by the program's threads.
    [[nodiscard]] bool isRunRemote() const { return m_runRemote; }

    /// What rings had to do without, for the trace.
    struct Shortage {
        std::size_t smallestBytes = 0; ///< of a ring that is smaller than asked; 0: none is
        std::string disk;              ///< where rings lie that found no room in memory; empty: none
        bool operator==(const Shortage&) const = default;
    };
    [[nodiscard]] Shortage shortage() const;

    /// After a clean close: the records are in the database.
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
