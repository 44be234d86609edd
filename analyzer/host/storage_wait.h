// SPDX-License-Identifier: Apache-2.0
// What /proc tells of a process and its storage: the bytes that it moved, and whether a thread waits for
// storage in the kernel.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::host {

/// /proc/PID/io. The first two count what read() and write() moved, of any file: also of pipes and of the
/// page cache. The others count what came from storage, or will go to it once its pages are flushed.
struct StorageBytes {
    std::uint64_t fileRead = 0;
    std::uint64_t fileWritten = 0;
    std::uint64_t storageRead = 0;
    std::uint64_t storageWritten = 0;
};
[[nodiscard]] std::optional<StorageBytes> parseStorageBytes(std::string_view text);

/// Returns whether a thread, "self/task/TID" or "PID/task/TID", waits in a system call on a regular file or
/// folder, or uninterruptibly in one that opens or closes a file, or for a page of memory. Pipes, sockets,
/// devices, locks, children and drivers are something else. Null: the kernel does not show its call.
///
/// It asks nothing of the file itself: with a network file system whose server is gone, that would wait, too.
[[nodiscard]] std::optional<bool> waitsForStorage(const std::string& thread);

} // namespace ringside::host
