// SPDX-License-Identifier: Apache-2.0
// A file that is written piece by piece. Every failure throws an Error. New files belong to their owner
// alone, like runs.
#pragma once
#include "trace/read/unfinished.h"

#include <sys/types.h>

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string_view>

namespace ringside::output {

/// What to do with an existing file of this name. It is replaced only when the new file is complete, and is
/// unchanged until then.
enum class Existing { Refuse, Replace };

class OutputFile final {
public:
    static constexpr mode_t kOwnerOnly = 0600;
    static constexpr mode_t kAsUmaskSays = 0666;

    /// Creates the file, with `mode`, reduced by the umask, if it is new. Throws Error
    /// (Io) if it exists and must not, cannot be created, or is a FIFO without a reader.
    explicit OutputFile(std::filesystem::path path, Existing existing = Existing::Refuse,
                        mode_t mode = kOwnerOnly);
    void write(std::string_view text);
    /// Flushes everything to the system. Without this call, the destructor removes a new file.
    void close();

private:
    struct Closer {
        void operator()(std::FILE* file) const { std::fclose(file); }
    };
    // Returns the descriptor, or -1 with errno.
    int makeNew(mode_t mode);
    int openToReplace(mode_t mode);
    [[noreturn]] void fail(std::string_view what) const;

    std::filesystem::path m_path;
    trace::Unfinished m_new;
    std::unique_ptr<std::FILE, Closer> m_file;
};

} // namespace ringside::output
