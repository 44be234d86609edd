// SPDX-License-Identifier: GPL-3.0-or-later
// What a chosen stretch of time was made of, a line a rank. The analyzer finds that out in the background:
// of a whole large run it takes a second or two.
#pragma once
#include "report/table.h"
#include "session.h"

#include <QWidget>

#include <optional>
#include <thread>

class QLabel;

namespace ringside::gui {

class ReportTable;

class RangePanel final : public QWidget {
    Q_OBJECT
public:
    explicit RangePanel(QWidget* parent = nullptr);
    /// Nothing: the panel hides. `session` has a timeline where there is a range.
    void setRange(const Session& session, const std::optional<model::Interval>& range);
    /// The figures with tabs between them, under a line that says of what; empty before they are there.
    [[nodiscard]] QString text() const { return m_text; }

signals:
    void ready(); ///< the figures of the latest range are there

private:
    void compute();
    void showTable(const model::Interval& range, const report::Table& table);

    Session m_session;
    std::optional<model::Interval> m_range;
    bool m_computing = false;
    QString m_text;
    QLabel* m_title;
    ReportTable* m_table;
    std::jthread m_worker; ///< joined before the widgets go
};

} // namespace ringside::gui
