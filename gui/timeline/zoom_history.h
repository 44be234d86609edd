// SPDX-License-Identifier: GPL-3.0-or-later
// The visible range of time and the ranges visible before it. It needs no window.
#pragma once
#include "timeline/coordinates.h"

namespace ringside::gui {

class ZoomHistory final {
public:
    /// Starts a new run: everything is visible, and there is nothing to undo.
    void reset(const Interval& limits)
    {
        m_limits = m_visible = limits;
        m_before.clear();
    }
    /// Continues with a run that was read again: what was visible before can still be undone.
    void extend(const Interval& limits, const Interval& visible)
    {
        m_limits = limits;
        m_visible = visible;
    }
    enum class Step : std::uint8_t {
        New,  ///< undone alone
        Same, ///< continues the gesture before it: one undo reverts both
    };
    void change(const Interval& visible, Step step)
    {
        if (visible == m_visible) {
            return;
        }
        if (step == Step::New || m_before.empty()) {
            m_before.push_back(m_visible);
        }
        if (m_before.size() > kMost) {
            m_before.erase(m_before.begin());
        }
        m_visible = visible;
    }
    /// Returns false if there is nothing to undo.
    bool undo()
    {
        if (m_before.empty()) {
            return false;
        }
        m_visible = m_before.back();
        m_before.pop_back();
        return true;
    }
    [[nodiscard]] const Interval& visible() const { return m_visible; }
    [[nodiscard]] const Interval& limits() const { return m_limits; }

private:
    static constexpr std::size_t kMost = 200;
    Interval m_limits, m_visible;
    std::vector<Interval> m_before;
};

} // namespace ringside::gui
