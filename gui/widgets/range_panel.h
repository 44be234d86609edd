// SPDX-License-Identifier: GPL-3.0-or-later
// Figures of a chosen stretch of time, one line for each rank. The analyzer computes them in the background:
// a whole large run takes a second or two.
#pragma once
#include "document/table.h"
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
    /// Computes and shows the figures of `range`; hides the panel if there is none. If there is a range,
    /// `session` must have a timeline.
    void setRange(const Session& session, const std::optional<model::Interval>& range);
    /// Returns a title and the figures, separated by tabs. Empty while they are being computed.
    [[nodiscard]] QString text() const { return m_text; }

signals:
    void ready(); ///< the figures of the latest range are computed

private:
    void compute();
    void showTable(const model::Interval& range, const document::Table& table);

    Session m_session;
    std::optional<model::Interval> m_range;
    bool m_computing = false;
    QString m_text;
    QLabel* m_title;
    ReportTable* m_table;
    std::jthread m_worker; ///< joined before the widgets go
};

} // namespace ringside::gui
