// SPDX-License-Identifier: Apache-2.0
#include "import/input.h"

#include "trace/read/system_error.h"

#include <ringside/error.h>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace ringside::importers {
namespace {

constexpr int kGzipWindow = 15 + 16; // zlib: largest window, gzip header and trailer

[[noreturn]] void fail(const std::filesystem::path& path, const char* what)
{
    throw trace::systemError(std::string("cannot ") + what + " " + path.string(), errno);
}

} // namespace

File::File(const std::filesystem::path& path)
    : m_path(path), m_descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK))
{
    struct stat status {};
    if (m_descriptor < 0 || fstat(m_descriptor, &status) != 0) {
        const int error = errno;
        close(m_descriptor);
        errno = error;
        fail(path, "open");
    }
    if (!S_ISREG(status.st_mode)) {
        close(m_descriptor);
        throw Error(ErrorCode::Unusable, path.string() + " is no regular file",
                    "Give the file itself, not a pipe or a device.");
    }
    m_bytes = static_cast<std::uint64_t>(status.st_size);
}

File::~File()
{
    close(m_descriptor);
}

std::size_t File::read(std::uint64_t offset, std::span<char> to) const
{
    std::size_t done = 0;
    while (done < to.size()) {
        const ssize_t got =
            pread(m_descriptor, to.data() + done, to.size() - done, static_cast<off_t>(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            fail(m_path, "read");
        }
        if (got == 0) {
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

bool File::isGzip() const
{
    std::array<char, 2> magic{};
    return read(0, magic) == magic.size() && magic[0] == '\x1f' && magic[1] == '\x8b';
}

struct GzipStream::Inflater {
    z_stream stream{};
    std::array<char, 256U << 10U> input{};

    Inflater()
    {
        if (inflateInit2(&stream, kGzipWindow) != Z_OK) {
            throw Error(ErrorCode::Io, "cannot start zlib to inflate a gzip file: not enough memory");
        }
    }
    ~Inflater() { inflateEnd(&stream); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;
};

GzipStream::GzipStream(const File& file) : m_file(file), m_inflater(std::make_unique<Inflater>()) {}

GzipStream::~GzipStream() = default;

std::uint64_t GzipStream::consumed() const
{
    return m_offset - m_inflater->stream.avail_in;
}

bool GzipStream::refill()
{
    z_stream& stream = m_inflater->stream;
    if (stream.avail_in > 0) {
        return true;
    }
    const std::size_t got = m_file.read(m_offset, m_inflater->input);
    m_offset += got;
    stream.next_in = reinterpret_cast<Bytef*>(m_inflater->input.data());
    stream.avail_in = static_cast<uInt>(got);
    return got > 0;
}

/// Ends a member. Another member may follow, or zeros that pad the file.
void GzipStream::endMember()
{
    z_stream& stream = m_inflater->stream;
    if (!refill() || *stream.next_in == 0) {
        m_ended = true;
    } else {
        inflateReset(&stream);
    }
}

std::size_t GzipStream::read(std::span<char> to)
{
    z_stream& stream = m_inflater->stream;
    std::size_t done = 0;
    while (done < to.size() && !m_ended) {
        if (!refill()) {
            m_ended = true;
            m_problem = "the gzip stream is cut off";
            break;
        }
        const auto room = static_cast<uInt>(std::min<std::size_t>(to.size() - done, 1U << 30U));
        stream.next_out = reinterpret_cast<Bytef*>(to.data() + done);
        stream.avail_out = room;
        const int result = inflate(&stream, Z_NO_FLUSH);
        done += room - stream.avail_out;
        if (result == Z_STREAM_END) {
            endMember();
        } else if (result != Z_OK && result != Z_BUF_ERROR) {
            m_ended = true;
            m_problem = "the gzip stream is damaged at byte " + std::to_string(consumed()) + " of the file";
        }
    }
    return done;
}

std::string headOf(const std::filesystem::path& path, std::size_t most)
{
    const File file(path);
    std::string head(most, '\0');
    head.resize(file.isGzip() ? GzipStream(file).read(head) : file.read(0, head));
    return head;
}

} // namespace ringside::importers
