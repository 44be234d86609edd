// SPDX-License-Identifier: Apache-2.0
// A TAR archive whose members are made while they are written.
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
    /// Creates it; throws Error (Io) where it exists or cannot be made.
    explicit Archive(const std::filesystem::path& path);
    ~Archive();
    Archive(const Archive&) = delete;
    Archive& operator=(const Archive&) = delete;

    /// A header holds its member's size, so `make` is called twice: to count, and to write. It must give the
    /// same both times.
    void add(const std::string& name, const std::function<void(const Sink&)>& make);
    /// Everything has reached the system. What is not closed goes with this.
    void close();

private:
    void check(bool good, const char* what) const;

    std::filesystem::path m_path;
    trace::Unfinished m_new;
    ::archive* m_archive;
};

} // namespace ringside::exporting
