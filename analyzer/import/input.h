// SPDX-License-Identifier: Apache-2.0
// Opens a file of another tool: reads a plain file at any offset, and inflates a gzip file from its
// beginning.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace ringside::importers {

/// A regular file that is open for reading. Several threads may use it.
class File final {
public:
    /// Throws Error if it cannot be opened (Io) or is no regular file (Unusable).
    explicit File(const std::filesystem::path& path);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    /// Fills `to` from `offset` on and returns the number of bytes; fewer mean the end of the file. Throws
    /// Error (Io).
    std::size_t read(std::uint64_t offset, std::span<char> to) const;
    [[nodiscard]] bool isGzip() const;

private:
    std::filesystem::path m_path;
    int m_descriptor = -1;
    std::uint64_t m_bytes = 0;
};

/// Inflates a gzip file, which may have several members. For use by one thread.
class GzipStream final {
public:
    explicit GzipStream(const File& file);
    ~GzipStream();
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;

    /// Fills `to` and returns the number of bytes; fewer mean the end of the stream or a problem. Throws
    /// Error (Io).
    std::size_t read(std::span<char> to);
    /// Returns why the stream is incomplete: damaged or cut off. Empty if there is no problem.
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    /// Returns the number of bytes of the file that were consumed so far.
    [[nodiscard]] std::uint64_t consumed() const;

private:
    struct Inflater;
    bool refill();
    void endMember();

    const File& m_file;
    std::unique_ptr<Inflater> m_inflater;
    std::uint64_t m_offset = 0;
    bool m_ended = false;
    std::string m_problem;
};

/// Returns at most `most` first bytes of a file's contents, inflated if it is gzip. Throws what File throws.
[[nodiscard]] std::string headOf(const std::filesystem::path& path, std::size_t most);

} // namespace ringside::importers
