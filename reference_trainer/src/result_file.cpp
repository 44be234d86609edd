// SPDX-License-Identifier: Apache-2.0
#include "result_file.h"

#include "failure.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace ringside::trainer {

namespace {

/// Removes the target of a link, not the link. Each rank of a job tries the same file: another one may have
/// removed it.
void removeTarget(const std::string& path)
{
    std::error_code ignored;
    if (const auto target = std::filesystem::canonical(path, ignored); !target.empty())
        std::filesystem::remove(target, ignored);
}

} // namespace

void checkWritable(const std::string& path)
{
    std::error_code ignored;
    const bool existed = std::filesystem::exists(path, ignored);
    // Does not wait for a reader of a FIFO; a missing reader (ENXIO) is no error yet.
    const int file = open(path.c_str(), O_WRONLY | O_CREAT | O_NONBLOCK | O_CLOEXEC, 0666);
    if (file < 0 && errno != ENXIO)
        throw Failure(fmt::format("cannot write {}: {}; give a file in a folder that exists and is writable",
                                  path, std::strerror(errno)));
    if (file >= 0)
        close(file);
    if (file >= 0 && !existed)
        removeTarget(path);
}

void writeFile(const std::string& path, std::string_view bytes)
{
    std::ofstream file(path, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    if (!file)
        throw Failure(fmt::format("cannot write {}: {}", path, std::strerror(errno)));
}

} // namespace ringside::trainer
