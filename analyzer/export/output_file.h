// SPDX-License-Identifier: Apache-2.0
// A file that is written piece by piece and does not lie about it: every failure is an Error.
#pragma once
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace ringside::exporting {

class OutputFile final {
public:
    /// Creates it; throws Error (Io) where it exists or cannot be made.
    explicit OutputFile(std::filesystem::path path);
    void write(std::string_view text);
    /// Everything has reached the system; a file that was not closed is incomplete.
    void close();

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    [[noreturn]] void fail(std::string_view what) const;

    std::filesystem::path m_path;
    std::unique_ptr<std::FILE, Closer> m_file;
};

} // namespace ringside::exporting
