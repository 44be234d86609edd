// SPDX-License-Identifier: Apache-2.0
// A list of names as in NCCL_SOCKET_IFNAME and NCCL_IB_HCA: prefixes separated by commas, each with an
// optional port after a colon; a leading `^` excludes them, a leading `=` matches whole names.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::probe {

class NamePattern final {
public:
    explicit NamePattern(std::string_view text)
    {
        m_excludes = text.starts_with('^');
        text.remove_prefix(m_excludes ? 1 : 0);
        m_whole = text.starts_with('=');
        text.remove_prefix(m_whole ? 1 : 0);
        while (!text.empty()) {
            const std::string_view name = text.substr(0, text.find(','));
            text.remove_prefix(std::min(text.size(), name.size() + 1));
            m_names.push_back(name);
        }
    }
    /// `port` is empty if there is none.
    [[nodiscard]] bool matches(std::string_view name, std::string_view port = {}) const
    {
        const bool listed = std::any_of(m_names.begin(), m_names.end(), [&](std::string_view each) {
            const std::size_t colon = each.find(':');
            const std::string_view wanted = each.substr(0, colon);
            return (m_whole ? name == wanted : name.starts_with(wanted)) &&
                   (colon == std::string_view::npos || port == each.substr(colon + 1));
        });
        return listed != m_excludes;
    }

private:
    std::vector<std::string_view> m_names; ///< views into the text of the pattern
    bool m_excludes = false;
    bool m_whole = false;
};

} // namespace ringside::probe
