// SPDX-License-Identifier: Apache-2.0
// A file of a port that is read every second. It is kept open, which takes a fifth of the time of opening it
// again. All of them together use at most an eighth of the process's descriptors; the others are opened for
// each reading.
#pragma once
#include "host/kept_file.h"
#include "host/sysfs_text.h"

namespace ringside::host {

class KeptText final {
public:
    KeptText() = default;
    ~KeptText() { drop(); }
    KeptText(KeptText&& other) noexcept = default;
    KeptText& operator=(KeptText&& other) = delete; ///< the file open here would keep its descriptor for ever

    /// Reads like readText, always the same path. If the open file can no longer be read (its device is
    /// gone), reads what is at the path now.
    FileText read(const std::string& path);
    /// Opens the file again at the next reading.
    void drop();
    [[nodiscard]] bool isOpen() const { return m_file.isOpen(); }
    /// As in KeptFile. Takes nearly as long as reading, so it is not called for each reading.
    [[nodiscard]] bool isThere() const { return m_file.isThere(); }
    /// Returns whether the process may open so many descriptors that files which are seldom read can be kept
    /// open, too.
    [[nodiscard]] static bool isRoomy();

private:
    void keep(const std::string& path);
    KeptFile m_file;
};

} // namespace ringside::host
