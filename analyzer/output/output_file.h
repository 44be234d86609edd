// SPDX-License-Identifier: Apache-2.0
// A file that is written piece by piece and does not lie about it: every failure is an Error. What is new is
// its owner's alone, as runs are.
#pragma once
#include "trace/read/unfinished.h"

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace ringside::output {

/// What a file of this name that exists already means. It is replaced when the new one is whole, and stays as
/// it is until then.
enum class Existing { Refuse, Replace };

class OutputFile final {
public:
    static constexpr mode_t kOwnerOnly = 0600;
    static constexpr mode_t kAsUmaskSays = 0666;

    /// Creates it, with `mode` where it is new (less the umask where it must not exist). Throws Error (Io)
    /// where it exists and must not, cannot be made, or is a FIFO that nobody reads.
    explicit OutputFile(std::filesystem::path path, Existing existing = Existing::Refuse,
                        mode_t mode = kOwnerOnly);
    void write(std::string_view text);
    /// Everything has reached the system. A new file that is not closed goes with this.
    void close();

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    // The descriptor, or -1 with errno.
    int makeNew(mode_t mode);
    int openToReplace(mode_t mode);
    [[noreturn]] void fail(std::string_view what) const;

    std::filesystem::path m_path;
    trace::Unfinished m_new;
    std::unique_ptr<std::FILE, Closer> m_file;
};

} // namespace ringside::output
