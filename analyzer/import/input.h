// SPDX-License-Identifier: Apache-2.0
// Bytes of a foreign file: at any place of a plain one, or inflated from the begin of a gzip one.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

namespace ringside::importers {

/// A regular file that is open for reading; may be used by several threads.
class File final {
public:
    /// Throws Error where it cannot be opened (Io) or is no regular file (Unusable).
    explicit File(const std::filesystem::path& path);
    ~File();
    File(const File&) = delete;
    File& operator=(const File&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return m_path; }
    [[nodiscard]] std::uint64_t bytes() const { return m_bytes; }
    /// Fills `to` from `offset` on as far as the file goes; returns the number of bytes. Throws Error (Io).
    std::size_t read(std::uint64_t offset, std::span<char> to) const;
    [[nodiscard]] bool isGzip() const;

private:
    std::filesystem::path m_path;
    int m_descriptor = -1;
    std::uint64_t m_bytes = 0;
};

/// Inflates a gzip file, also one of several members. One thread.
class GzipStream final {
public:
    explicit GzipStream(const File& file);
    ~GzipStream();
    GzipStream(const GzipStream&) = delete;
    GzipStream& operator=(const GzipStream&) = delete;

    /// Fills `to` as far as the stream goes; fewer bytes mean its end, or a problem.
    std::size_t read(std::span<char> to);
    /// Why it ended before its end: damaged, cut off. Empty: it did not.
    [[nodiscard]] const std::string& problem() const { return m_problem; }
    /// Bytes of the file that were taken so far.
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

/// The first bytes of a file's contents, at most `most`, inflated where it is gzip. Throws Error (Io).
[[nodiscard]] std::string headOf(const std::filesystem::path& path, std::size_t most);

} // namespace ringside::importers
