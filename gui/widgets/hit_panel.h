// SPDX-License-Identifier: GPL-3.0-or-later
// The matches of a search as a list. A row that is clicked, or activated by a key, is chosen.
#pragma once
#include "session.h"
#include "timeline/search.h"

#include <QWidget>

class QLabel;

namespace ringside::gui {

class ReportTable;

class HitPanel final : public QWidget {
    Q_OBJECT
public:
    explicit HitPanel(QWidget* parent = nullptr);
    /// Lists the hits, and marks the one with this number, counted from 1; 0: none. Null: there is no search.
    /// The hits belong to the session's timeline.
    void setHits(const Session& session, const timeline::Hits* hits, std::size_t number);

signals:
    void hitChosen(std::size_t place); ///< in Hits::byTime

private:
    void list(const Session& session, const timeline::Hits& hits);

    const timeline::Hits* m_listed = nullptr; ///< compared only
    timeline::SearchRequest m_request;
    QLabel* m_title;
    ReportTable* m_table;
    std::size_t m_rows = 0;
};

} // namespace ringside::gui
