// SPDX-License-Identifier: GPL-3.0-or-later
// Projects the ranges of opened ranks on the GPU, in the background: a rank of many million events takes
// about a second.
#include "timeline/timeline_widget.h"

namespace ringside::gui {

/// One computation runs at a time. It calls relayout(), which begins the next one if it is needed.
void TimelineWidget::projectOpened()
{
    if (m_layout.unprojected.empty() || m_projecting) {
        return;
    }
    m_projecting = true;
    m_projector = std::jthread([this, session = m_session, ranks = m_layout.unprojected] {
        session.timeline->projections->compute(session.report->model, session.timeline->tracks,
                                               std::vector(ranks.begin(), ranks.end()),
                                               [this] { return m_closing.load(); });
        QMetaObject::invokeMethod(
            this,
            [this] {
                m_projecting = false;
                if (ready()) {
                    relayout();
                }
            },
            Qt::QueuedConnection);
    });
}

} // namespace ringside::gui
