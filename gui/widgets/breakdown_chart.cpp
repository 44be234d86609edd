// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/breakdown_chart.h"

#include "base/text.h"
#include "base/theme.h"
#include "values/text.h"
#include "widgets/picture_menu.h"
#include "widgets/shade.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

constexpr int kLegendLine = 20;
constexpr int kGap = 3;

} // namespace

BreakdownChart::BreakdownChart(QWidget* parent) : QWidget(parent)
{
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Minimum);
    addPictureMenu(*this);
}

void BreakdownChart::setChart(document::BarChart chart)
{
    m_chart = std::move(chart);
    setAccessibleName(toQt(m_chart.title));
    m_longestNs = 1;
    for (const document::BarChart::Bar& bar : m_chart.bars) {
        m_longestNs = std::max(m_longestNs, bar.sumNs());
    }
    measureTexts();
    update();
}

void BreakdownChart::measureTexts()
{
    constexpr int kRoom = 14;
    const QFontMetrics metrics(font());
    m_left = m_right = 0;
    for (const document::BarChart::Bar& bar : m_chart.bars) {
        m_left = std::max(m_left, metrics.horizontalAdvance(nameOf(bar)) + kRoom);
        m_right = std::max(m_right, metrics.horizontalAdvance(toQt(bar.length)) + kRoom);
    }
    updateGeometry();
}

void BreakdownChart::changeEvent(QEvent* event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        measureTexts();
    }
}

QString BreakdownChart::nameOf(const document::BarChart::Bar& bar) const
{
    return toQt(m_chart.row) + u" %1"_s.arg(bar.rank);
}

int BreakdownChart::barHeight() const
{
    constexpr std::size_t kFew = 24;
    return m_chart.bars.size() <= kFew ? std::max(18, QFontMetrics(font()).height()) : 6;
}

std::vector<QPoint> BreakdownChart::legendPlaces() const
{
    const int room = scaled(30); // of the square and between two entries
    std::vector<QPoint> places;
    QPoint at(m_left, 6);
    for (const document::BarChart::Part& part : m_chart.parts) {
        const int wide = room + QFontMetrics(font()).horizontalAdvance(toQt(part.name));
        if (at.x() > m_left && at.x() + wide > width()) {
            at = QPoint(m_left, at.y() + scaled(kLegendLine));
        }
        places.push_back(at);
        at.rx() += wide;
    }
    return places;
}

int BreakdownChart::legendHeight() const
{
    return m_chart.parts.empty() ? 0 : legendPlaces().back().y() + scaled(kLegendLine);
}

void BreakdownChart::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    updateGeometry(); // the legend may need another line
}

QRect BreakdownChart::barOf(std::size_t index, int top) const
{
    return {m_left, top + static_cast<int>(index) * (barHeight() + kGap),
            std::max(1, width() - m_left - m_right), barHeight()};
}

QRect BreakdownChart::roomOf(std::size_t index, int top) const
{
    return barOf(index, top).adjusted(-m_left, -kGap - 1, m_right, kGap + 1);
}

QSize BreakdownChart::sizeHint() const
{
    return {520, legendHeight() + static_cast<int>(m_chart.bars.size()) * (barHeight() + kGap)};
}

QSize BreakdownChart::minimumSizeHint() const
{
    return {300, sizeHint().height()};
}

void BreakdownChart::paintEvent(QPaintEvent* event)
{
    QPainter painter(this);
    paintLegend(painter);
    const int top = legendHeight();
    for (std::size_t i = 0; i < m_chart.bars.size(); ++i) {
        if (roomOf(i, top).intersects(event->rect())) { // of thousands of ranks, few are visible
            paintBar(painter, i, top);
        }
    }
}

void BreakdownChart::paintLegend(QPainter& painter) const
{
    const Theme& theme = themeOf(palette());
    const std::vector<QPoint> places = legendPlaces();
    painter.setPen(theme.text);
    for (std::size_t i = 0; i < m_chart.parts.size(); ++i) {
        fillShade(painter, QRect(places[i], QSize(scaled(12), scaled(12))), m_chart.parts[i].shade, theme);
        painter.drawText(places[i] + QPoint(scaled(16), scaled(11)), toQt(m_chart.parts[i].name));
    }
}

void BreakdownChart::paintBar(QPainter& painter, std::size_t index, int top) const
{
    const Theme& theme = themeOf(palette());
    const document::BarChart::Bar& figures = m_chart.bars[index];
    const QRect bar = barOf(index, top);
    const bool named = barHeight() > 10 || index % 4 == 0;
    painter.setPen(theme.text);
    if (named) {
        painter.drawText(QRect(0, bar.top() - 4, m_left - 8, bar.height() + 8),
                         Qt::AlignRight | Qt::AlignVCenter, nameOf(figures));
    }
    const double scale = bar.width() / m_longestNs;
    double x = bar.left();
    for (std::size_t i = 0; i < m_chart.parts.size(); ++i) {
        const double width = figures.ns[i] * scale;
        fillShade(painter, QRectF(x, bar.top(), width, bar.height()), m_chart.parts[i].shade, theme);
        x += width;
    }
    if (named) {
        painter.drawText(QRect(bar.right() + 6, bar.top() - 4, m_right - 6, bar.height() + 8),
                         Qt::AlignLeft | Qt::AlignVCenter, toQt(figures.length));
    }
}

bool BreakdownChart::event(QEvent* event)
{
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* const help = static_cast<QHelpEvent*>(event);
    const int top = legendHeight();
    for (std::size_t i = 0; i < m_chart.bars.size(); ++i) {
        if (roomOf(i, top).contains(help->pos())) {
            const document::BarChart::Bar& bar = m_chart.bars[i];
            QString text = u"<b>%1</b><table>"_s.arg(nameOf(bar));
            for (std::size_t part = 0; part < m_chart.parts.size(); ++part) {
                const double share = bar.sumNs() > 0 ? bar.ns[part] / bar.sumNs() : 0;
                text += u"<tr><td>%1&nbsp;&nbsp;</td><td align=right>%2</td></tr>"_s.arg(
                    toQt(m_chart.parts[part].name), toQt(values::percent(share)));
            }
            QToolTip::showText(help->globalPos(), text + u"</table>of %1"_s.arg(toQt(bar.length)), this);
            return true;
        }
    }
    QToolTip::hideText();
    return true;
}

} // namespace ringside::gui
