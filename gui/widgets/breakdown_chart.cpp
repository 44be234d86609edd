// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/breakdown_chart.h"

#include "base/text.h"
#include "base/theme.h"
#include "rules/shared/support.h"
#include "widgets/picture_menu.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <array>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using metrics::Breakdown;

constexpr int kLeft = 70;
constexpr int kRight = 84;
constexpr int kLegendLine = 20;
constexpr int kGap = 3;

struct PartOfStep {
    const char* name;
    QColor Theme::*colour;
    std::int64_t (*ns)(const Breakdown&);
};
/// The parts sum to the step. Waiting is the part of exposed communication before the last rank arrived.
constexpr std::array kParts{
    PartOfStep{"compute", &Theme::compute, [](const Breakdown& b) { return b.computeNs; }},
    PartOfStep{"waiting for the last rank", nullptr, [](const Breakdown& b) { return b.exposedWaitNs; }},
    PartOfStep{"exposed communication", &Theme::communication,
               [](const Breakdown& b) { return b.exposedCommunicationNs - b.exposedWaitNs; }},
    PartOfStep{"exposed copy", &Theme::copy, [](const Breakdown& b) { return b.exposedCopyNs; }},
    PartOfStep{"idle", &Theme::idle, [](const Breakdown& b) { return b.idleNs; }},
};

QColor colourOf(const PartOfStep& part, const Theme& theme)
{
    return part.colour != nullptr ? theme.*part.colour : theme.of(timeline::SpanKind::Wait);
}

std::int64_t stepNs(const metrics::RankMetrics& rank)
{
    return rank.ofAStep(rank.total.stepNs);
}

} // namespace

BreakdownChart::BreakdownChart(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(u"Parts of a step of each rank"_s);
    setAccessibleDescription(u"The table below holds the same figures."_s);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    addPictureMenu(*this);
}

void BreakdownChart::setReport(std::shared_ptr<const report::Report> report)
{
    m_report = std::move(report);
    m_longestNs = 1;
    for (const metrics::RankMetrics& rank : m_report->metrics.ranks) {
        m_longestNs = std::max(m_longestNs, stepNs(rank));
    }
    updateGeometry();
    update();
}

int BreakdownChart::barHeight() const
{
    constexpr std::size_t kFew = 24;
    const std::size_t ranks = m_report ? m_report->metrics.ranks.size() : 0;
    return ranks <= kFew ? 18 : 6;
}

std::vector<QPoint> BreakdownChart::legendPlaces() const
{
    constexpr int kRoom = 30; // of the square and between two entries
    std::vector<QPoint> places;
    QPoint at(kLeft, 6);
    for (const PartOfStep& part : kParts) {
        const int wide = kRoom + QFontMetrics(font()).horizontalAdvance(QString::fromLatin1(part.name));
        if (at.x() > kLeft && at.x() + wide > width()) {
            at = QPoint(kLeft, at.y() + kLegendLine);
        }
        places.push_back(at);
        at.rx() += wide;
    }
    return places;
}

int BreakdownChart::legendHeight() const
{
    return legendPlaces().back().y() + kLegendLine;
}

void BreakdownChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateGeometry(); // the legend may need another line
}

QRect BreakdownChart::barOf(std::size_t rank, int top) const
{
    return {kLeft, top + static_cast<int>(rank) * (barHeight() + kGap), std::max(1, width() - kLeft - kRight),
            barHeight()};
}

QRect BreakdownChart::roomOf(std::size_t rank, int top) const
{
    return barOf(rank, top).adjusted(-kLeft, -kGap - 1, kRight, kGap + 1);
}

QSize BreakdownChart::sizeHint() const
{
    const std::size_t ranks = m_report ? m_report->metrics.ranks.size() : 0;
    return {520, legendHeight() + static_cast<int>(ranks) * (barHeight() + kGap)};
}

QSize BreakdownChart::minimumSizeHint() const
{
    return {300, sizeHint().height()};
}

void BreakdownChart::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    if (!m_report) {
        return;
    }
    paintLegend(painter);
    const int top = legendHeight();
    for (std::size_t i = 0; i < m_report->metrics.ranks.size(); ++i) {
        if (roomOf(i, top).intersects(event->rect())) { // of thousands of ranks, few are visible
            paintBar(painter, i, top);
        }
    }
}

void BreakdownChart::paintLegend(QPainter& painter) const
{
    const Theme& theme = themeOf(palette());
    const std::vector<QPoint> places = legendPlaces();
    for (std::size_t i = 0; i < kParts.size(); ++i) {
        const QRect square(places[i], QSize(12, 12));
        painter.fillRect(square, colourOf(kParts[i], theme));
        if (kParts[i].colour == nullptr) {
            painter.fillRect(square, QBrush(theme.communication, Qt::BDiagPattern));
        }
        painter.setPen(theme.text);
        painter.drawText(places[i] + QPoint(16, 11), QString::fromLatin1(kParts[i].name));
    }
}

void BreakdownChart::paintBar(QPainter& painter, std::size_t rank, int top) const
{
    const Theme& theme = themeOf(palette());
    const metrics::RankMetrics& figures = m_report->metrics.ranks[rank];
    const QRect bar = barOf(rank, top);
    const bool named = barHeight() > 10 || rank % 4 == 0;
    painter.setPen(theme.text);
    if (named) {
        painter.drawText(QRect(0, bar.top() - 4, kLeft - 8, bar.height() + 8),
                         Qt::AlignRight | Qt::AlignVCenter,
                         u"rank %1"_s.arg(m_report->model.ranks[figures.rank].rank));
    }
    const double scale = bar.width() / static_cast<double>(m_longestNs) / std::max(1e-9, figures.periods);
    double x = bar.left();
    for (const PartOfStep& part : kParts) {
        const double width = static_cast<double>(part.ns(figures.total)) * scale;
        const QRectF box(x, bar.top(), width, bar.height());
        painter.fillRect(box, colourOf(part, theme));
        if (part.colour == nullptr) {
            painter.fillRect(box, QBrush(theme.communication, Qt::BDiagPattern));
        }
        x += width;
    }
    if (named) {
        painter.drawText(QRect(bar.right() + 6, bar.top() - 4, kRight - 6, bar.height() + 8),
                         Qt::AlignLeft | Qt::AlignVCenter, toQt(rules::milliseconds(stepNs(figures))));
    }
}

bool BreakdownChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip || !m_report) {
        return QWidget::event(event);
    }
    const auto* const help = static_cast<QHelpEvent*>(event);
    const int top = legendHeight();
    for (std::size_t i = 0; i < m_report->metrics.ranks.size(); ++i) {
        if (roomOf(i, top).contains(help->pos())) {
            const metrics::RankMetrics& rank = m_report->metrics.ranks[i];
            QString text = u"<b>rank %1</b><table>"_s.arg(m_report->model.ranks[rank.rank].rank);
            for (const PartOfStep& part : kParts) {
                text += u"<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>"_s.arg(
                    QString::fromLatin1(part.name),
                    toQt(rules::percent(rank.total.share(part.ns(rank.total)))));
            }
            QToolTip::showText(help->globalPos(), text + u"</table>of the step time"_s, this);
            return true;
        }
    }
    QToolTip::hideText();
    return true;
}

} // namespace ringside::gui
