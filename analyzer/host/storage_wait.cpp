// SPDX-License-Identifier: Apache-2.0
#include "host/storage_wait.h"

#include "host/kept_file.h"
#include "host/proc_text.h"
#include "host/process.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>

namespace ringside::host {
namespace {

/// Calls whose first argument is the descriptor of what they wait for.
constexpr long kOnDescriptor[] = {
    SYS_read,   SYS_write,      SYS_pread64,   SYS_pwrite64,  SYS_readv,
    SYS_writev, SYS_preadv,     SYS_pwritev,   SYS_preadv2,   SYS_pwritev2,
    SYS_fsync,  SYS_fdatasync,  SYS_ftruncate, SYS_fallocate, SYS_sync_file_range,
    SYS_syncfs, SYS_getdents64, SYS_fstat,     SYS_sendfile,  SYS_copy_file_range,
};
/// Calls that can wait for nothing else than storage.
constexpr long kOnPath[] = {
    SYS_sync,      SYS_msync,    SYS_renameat2, SYS_unlinkat, SYS_mkdirat, SYS_newfstatat, SYS_statx,
    SYS_faccessat, SYS_truncate,
#ifdef SYS_rename // older forms, which newer processors do not have
    SYS_rename,    SYS_unlink,   SYS_mkdir,     SYS_rmdir,    SYS_stat,    SYS_lstat,      SYS_access,
#endif
};
/// Calls that may also wait for the other end of a pipe or socket; for storage, the kernel waits for them
/// uninterruptibly. Closing a file of a network file system flushes it.
constexpr long kOpenOrClose[] = {
    SYS_openat,
    SYS_close,
#ifdef SYS_open
    SYS_open,
#endif
};

template <std::size_t kCount>
bool isAmong(const long (&calls)[kCount], long call)
{
    return std::find(std::begin(calls), std::end(calls), call) != std::end(calls);
}

std::string textOf(const std::string& thread, const char* name)
{
    std::array<char, 1024> buffer; // NOLINT(*-member-init): read as far as it is filled
    const KeptFile file("/proc/" + thread + "/" + name);
    return std::string(file.isOpen() ? file.read(buffer).value_or("") : "");
}

bool isUninterruptible(const std::string& thread)
{
    const auto stat = processStat(thread);
    return stat && stat->state == 'D';
}

/// By the name of what is open: the thread's own table has it, and reading the link asks no file system.
/// A named pipe looks like a file there, but not where the thread waits.
bool isFile(const std::string& thread, const std::string& descriptor)
{
    constexpr std::string_view kNoStorage[] = {"/dev/", "/proc/", "/sys/"};
    std::array<char, 256> link; // NOLINT(*-member-init): filled below
    const ssize_t length =
        readlink(("/proc/" + thread + "/fd/" + descriptor).c_str(), link.data(), link.size());
    const std::string_view path(link.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
    return path.starts_with('/') &&
           std::none_of(std::begin(kNoStorage), std::end(kNoStorage),
                        [&](std::string_view root) { return path.starts_with(root); }) &&
           textOf(thread, "wchan").find("pipe") == std::string::npos;
}

std::optional<unsigned long> hexadecimal(std::string_view word)
{
    constexpr int kBase = 16;
    word.remove_prefix(word.starts_with("0x") ? 2 : 0);
    unsigned long value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value, kBase);
    return error == std::errc() && end == word.data() + word.size() ? std::optional(value) : std::nullopt;
}

} // namespace

std::optional<StorageBytes> parseStorageBytes(std::string_view text)
{
    const auto fileRead = numberOf(text, "rchar:");
    const auto fileWritten = numberOf(text, "wchar:");
    const auto storageRead = numberOf(text, "read_bytes:");
    const auto storageWritten = numberOf(text, "write_bytes:");
    return fileRead && fileWritten && storageRead && storageWritten
               ? std::optional(StorageBytes{*fileRead, *fileWritten, *storageRead, *storageWritten})
               : std::nullopt;
}

std::optional<bool> waitsForStorage(const std::string& thread)
{
    const std::string text = textOf(thread, "syscall");
    std::string_view rest(text);
    const std::string_view first = takeWord(rest);
    if (first.empty()) {
        return std::nullopt;
    }
    if (first == "-1") { // in the kernel without a call: a page of memory that has to be read
        return isUninterruptible(thread);
    }
    const auto call = numberIn(first);
    if (!call) {
        return false; // "running"
    }
    const long number = static_cast<long>(*call);
    if (isAmong(kOnDescriptor, number)) {
        const auto descriptor = hexadecimal(takeWord(rest));
        return descriptor && isFile(thread, std::to_string(*descriptor));
    }
    return isAmong(kOnPath, number) || (isAmong(kOpenOrClose, number) && isUninterruptible(thread));
}

} // namespace ringside::host
