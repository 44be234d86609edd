// SPDX-License-Identifier: Apache-2.0
#include "flight_dumps/dump_file.h"

#include "import/importer.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace ringside::flight_dumps {
namespace {

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

} // namespace

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

} // namespace ringside::flight_dumps
