// SPDX-License-Identifier: Apache-2.0
// A file of a port that is read every second: kept open, which costs a fifth of opening it anew. Together,
// all of these take at most an eighth of the descriptors that the process may have, and what does not fit is
// opened each time.
#pragma once
#include "host/kept_file.h"
#include "host/sysfs_text.h"

namespace ringside::host {

class KeptText final {
public:
    KeptText() = default;
    ~KeptText() { drop(); }
    KeptText(KeptText&& other) noexcept = default;
    KeptText& operator=(KeptText&& other) = delete; ///< what was open here would keep its place for ever

    /// As readText, of the file of that path, which is always the same. Where what is open cannot be read as
    /// a file any more (its device is gone), what is there now.
    FileText read(const std::string& path);
    /// Opens it anew at the next reading.
    void drop();
    [[nodiscard]] bool isOpen() const { return m_file.isOpen(); }
    /// As KeptFile's. Costs nearly as much as reading it, so this is not for each reading.
    [[nodiscard]] bool isThere() const { return m_file.isThere(); }
    /// Whether the program may have so many descriptors that there is room for what is read seldom, too.
    [[nodiscard]] static bool isRoomy();

private:
    void keep(const std::string& path);
    KeptFile m_file;
};

} // namespace ringside::host
