// SPDX-License-Identifier: Apache-2.0
#include "output/output_file.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>

namespace ringside::output {

namespace {

/// Opens a new file beside `path` that replaces `path` when it is complete, with the mode of the replaced
/// file. Stores its name in `beside`. Returns -1 if `path` itself must be opened: a device, a FIFO, a link,
/// another user's file, or one in a folder without write access.
int openBeside(const std::filesystem::path& path, mode_t mode, std::string& beside)
{
    struct stat old {};
    errno = 0;
    const bool exists = lstat(path.c_str(), &old) == 0;
    const bool isOwnFile = S_ISREG(old.st_mode) && old.st_nlink == 1 && old.st_uid == geteuid();
    if (exists && (!isOwnFile || eaccess(path.c_str(), W_OK) != 0)) {
        return -1;
    }
    beside = path.string() + ".XXXXXX";
    const int file = mkostemp(beside.data(), O_CLOEXEC);
    const mode_t mask = umask(0077);
    umask(mask);
    const mode_t wanted = exists ? old.st_mode & 07777U : mode & ~mask;
    if (file >= 0 && fchmod(file, wanted) != 0) {
        ::close(file);
        unlink(beside.c_str());
        return -1;
    }
    return file;
}

// Without O_NONBLOCK, opening a FIFO without a reader would block.
constexpr int kOpen = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK;

} // namespace

OutputFile::OutputFile(std::filesystem::path path, Existing existing, mode_t mode) : m_path(std::move(path))
{
    const int file = existing == Existing::Refuse ? makeNew(mode) : openToReplace(mode);
    if (file < 0) {
        fail("make");
    }
    fcntl(file, F_SETFL, O_WRONLY);
    m_file.reset(fdopen(file, "wb"));
    if (m_file == nullptr) {
        ::close(file);
        fail("make");
    }
}

int OutputFile::makeNew(mode_t mode)
{
    int file = -1;
    m_new = trace::Unfinished(m_path, [&] {
        file = open(m_path.c_str(), kOpen | O_EXCL, mode);
        return file >= 0;
    });
    return file;
}

int OutputFile::openToReplace(mode_t mode)
{
    std::string made;
    const int file = openBeside(m_path, mode, made);
    if (file >= 0) {
        m_new = trace::Unfinished(made);
        return file;
    }
    return errno == ENOSPC || errno == EDQUOT ? -1 : open(m_path.c_str(), kOpen | O_TRUNC, mode);
}

void OutputFile::write(std::string_view text)
{
    if (std::fwrite(text.data(), 1, text.size(), m_file.get()) != text.size()) {
        fail("write");
    }
}

void OutputFile::close()
{
    if (std::fclose(m_file.release()) != 0) {
        fail("write");
    }
    const std::filesystem::path& made = m_new.path();
    if (!made.empty() && made != m_path && std::rename(made.c_str(), m_path.c_str()) != 0) {
        fail("replace");
    }
    m_new.keep();
}

void OutputFile::fail(std::string_view what) const
{
    const char* const why = errno == ENXIO ? "no process reads from it" : std::strerror(errno);
    throw Error(ErrorCode::Io, fmt::format("cannot {} {}: {}", what, m_path.string(), why),
                "Check that the folder exists, is writable and is not full.");
}

} // namespace ringside::output
