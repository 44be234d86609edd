// SPDX-License-Identifier: Apache-2.0
// A TAR archive whose members are generated while they are written.
#pragma once
#include "export/event_stream.h"
#include "trace/read/unfinished.h"

#include <filesystem>
#include <functional>
#include <memory>
#include <string>

struct archive;

namespace ringside::exporting {

class Archive final {
public:
    /// Creates the file. Throws Error (Io) if it exists or cannot be created.
    explicit Archive(const std::filesystem::path& path);
    ~Archive();
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    /// A header holds the size of its member, so that `make` is called twice: to count, and to write. Both
    /// calls must produce the same bytes.
    void add(const std::string& name, const std::function<void(const Sink&)>& make);
    /// Flushes everything to the system. Without this call, the destructor removes the file.
    void close();

private:
    void check(bool good, const char* what) const;

    std::filesystem::path m_path;
    trace::Unfinished m_new;
    ::archive* m_archive;
};

} // namespace ringside::exporting
