// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/heat_map.h"

#include "base/text.h"
#include "base/theme.h"
#include "widgets/picture_menu.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <array>
#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;

// Of usual letters:
constexpr int kNames = 76; ///< room for "rank 16383"
constexpr int kTop = 30;
constexpr int kBottom = 26;

/// Returns a colour from dark blue through grey to yellow. Lightness grows evenly, so that colour blindness
/// does not matter.
QRgb heat(double share)
{
    constexpr std::array<std::array<double, 3>, 5> kStops{
        {{0, 34, 78}, {66, 78, 107}, {125, 124, 120}, {188, 175, 111}, {254, 232, 56}}};
    const double place = std::clamp(share, 0.0, 1.0) * (kStops.size() - 1);
    const auto below = std::min(static_cast<std::size_t>(place), kStops.size() - 2);
    const double part = place - static_cast<double>(below);
    const auto channel = [&](std::size_t c) {
        return static_cast<int>(std::lround(kStops[below][c] * (1 - part) + kStops[below + 1][c] * part));
    };
    return qRgb(channel(0), channel(1), channel(2));
}

} // namespace

HeatMap::HeatMap(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(u"Map of ranks and steps"_s);
    setAccessibleDescription(u"The table beside it holds the same values. Arrows choose a cell."_s);
    setFocusPolicy(Qt::StrongFocus);
    setMinimumSize(240, 120);
    addPictureMenu(*this, [this](const QPoint& position) {
        const auto cell = cellAt(position);
        return cell ? textOf(*cell) : QString();
    });
}

void HeatMap::setFigures(std::shared_ptr<const report::Report> report, const StepFigure& figure)
{
    m_report = std::move(report);
    m_figure = figure;
    m_values = figure.values(*m_report);
    if (m_chosen && (m_chosen->rank >= ranks() || m_chosen->step >= steps())) {
        m_chosen.reset(); // a run that is followed has at least the cells that it had
    }
    m_least = figure.fromZero ? 0 : std::numeric_limits<double>::max();
    m_most = std::numeric_limits<double>::lowest();
    for (const std::vector<double>& rank : m_values) {
        for (const double value : rank) {
            m_least = std::min(m_least, value);
            m_most = std::max(m_most, value);
        }
    }
    update();
}

QRect HeatMap::map() const
{
    constexpr int kHighest = 40; // a cell
    const int room = std::max(1, height() - scaled(kTop) - scaled(kBottom));
    const int wanted = static_cast<int>(std::min<std::size_t>(ranks(), 10'000)) * kHighest;
    return {scaled(kNames), scaled(kTop), std::max(1, width() - scaled(kNames) - 10),
            std::clamp(wanted, 1, room)};
}

QImage HeatMap::image(const QSize& size) const
{
    const int columns =
        static_cast<int>(std::min<std::size_t>(steps(), static_cast<std::size_t>(size.width())));
    const int rows =
        static_cast<int>(std::min<std::size_t>(ranks(), static_cast<std::size_t>(size.height())));
    std::vector<double> largest(static_cast<std::size_t>(columns) * static_cast<std::size_t>(rows), m_least);
    for (std::size_t r = 0; r < ranks(); ++r) {
        const std::vector<double>& list = m_values[r];
        const std::size_t row = r * static_cast<std::size_t>(rows) / ranks();
        for (std::size_t s = 0; s < std::min(steps(), list.size()); ++s) {
            double& cell = largest[row * static_cast<std::size_t>(columns) +
                                   s * static_cast<std::size_t>(columns) / steps()];
            cell = std::max(cell, list[s]);
        }
    }
    QImage result(columns, rows, QImage::Format_RGB32);
    const double range = m_most > m_least ? m_most - m_least : 1;
    for (int y = 0; y < rows; ++y) {
        for (int x = 0; x < columns; ++x) {
            const std::size_t cell =
                static_cast<std::size_t>(y) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(x);
            result.setPixel(x, y, heat((largest[cell] - m_least) / range));
        }
    }
    return result;
}

void HeatMap::paintEvent(QPaintEvent* /*event*/)
{
    QPainter painter(this);
    const Theme& theme = themeOf(palette());
    painter.fillRect(rect(), theme.base);
    if (ranks() == 0 || steps() == 0) {
        painter.setPen(theme.dim);
        painter.drawText(rect(), Qt::AlignCenter, m_report ? u"Not measured in this run."_s : QString());
        return;
    }
    paintScale(painter);
    const QRect box = map();
    painter.drawImage(box, image(box.size()));
    painter.setPen(theme.dim);
    const double high = static_cast<double>(box.height()) / static_cast<double>(ranks());
    const auto every = static_cast<std::size_t>(std::max(1.0, std::ceil(fontMetrics().height() / high)));
    for (std::size_t r = 0; r < ranks(); r += every) {
        const auto top = box.top() + static_cast<int>(static_cast<double>(r) * high);
        painter.drawText(
            QRect(0, top, scaled(kNames) - 6, std::max(static_cast<int>(high), fontMetrics().height())),
            Qt::AlignRight | Qt::AlignVCenter,
            u"rank %1"_s.arg(m_report->model.ranks[m_report->metrics.ranks[r].rank].rank));
    }
    const auto& numbers = m_report->model.analyzedSteps;
    if (!numbers.empty()) {
        const QRect below(box.left(), box.bottom() + 3, box.width(), fontMetrics().height());
        painter.drawText(below, Qt::AlignLeft, u"step %1"_s.arg(numbers.front()));
        painter.drawText(below, Qt::AlignRight, u"step %1"_s.arg(numbers.back()));
    }
    if (m_chosen) {
        const double wide = static_cast<double>(box.width()) / static_cast<double>(steps());
        painter.setPen(QPen(theme.mark, 2));
        painter.drawRect(QRectF(box.left() + wide * static_cast<double>(m_chosen->step),
                                box.top() + high * static_cast<double>(m_chosen->rank), std::max(3.0, wide),
                                std::max(3.0, high)));
    }
}

QString HeatMap::valueText(double value) const
{
    return toQt(document::cellText(m_figure.cellOf(value)));
}

void HeatMap::paintScale(QPainter& painter) const
{
    constexpr int kWide = 160;
    const Theme& theme = themeOf(palette());
    painter.setPen(theme.text);
    const QString least = valueText(m_least);
    const int line = scaled(20);
    painter.drawText(scaled(kNames), line, least);
    const int left = scaled(kNames) + fontMetrics().horizontalAdvance(least) + 6;
    for (int x = 0; x < kWide; ++x) {
        painter.fillRect(left + x, line - scaled(11), 1, scaled(12),
                         QColor(heat(static_cast<double>(x) / kWide)));
    }
    const QString most = valueText(m_most);
    painter.drawText(left + kWide + 6, line, most);
    if (!m_figure.fromZero && m_least > 0) {
        painter.setPen(theme.dim);
        painter.drawText(left + kWide + 18 + fontMetrics().horizontalAdvance(most), line,
                         u"(colours begin at the least value, not at 0)"_s);
    }
}

std::optional<HeatMap::Cell> HeatMap::cellAt(const QPoint& position) const
{
    const QRect box = map();
    if (ranks() == 0 || steps() == 0 || !box.contains(position)) {
        return std::nullopt;
    }
    return Cell{static_cast<std::size_t>(position.y() - box.top()) * ranks() /
                    static_cast<std::size_t>(box.height()),
                static_cast<std::size_t>(position.x() - box.left()) * steps() /
                    static_cast<std::size_t>(box.width())};
}

QString HeatMap::textOf(const Cell& cell) const
{
    const metrics::RankMetrics& rank = m_report->metrics.ranks[cell.rank];
    const auto& numbers = m_report->model.analyzedSteps;
    return cell.step >= m_values[cell.rank].size()
               ? QString()
               : u"rank %1, step %2: %3 %4"_s.arg(m_report->model.ranks[rank.rank].rank)
                     .arg(cell.step < numbers.size() ? numbers[cell.step]
                                                     : static_cast<std::int64_t>(cell.step) + 1)
                     .arg(QString::fromLatin1(m_figure.name), valueText(m_values[cell.rank][cell.step]));
}

void HeatMap::choose(const Cell& cell)
{
    m_chosen = cell;
    setAccessibleDescription(textOf(cell));
    update();
    if (cell.step < m_report->metrics.ranks[cell.rank].windows.size()) {
        emit cellChosen(cell.rank, cell.step);
    }
}

void HeatMap::mousePressEvent(QMouseEvent* event)
{
    const auto cell = cellAt(event->position().toPoint());
    if (cell && event->button() == Qt::LeftButton) {
        choose(*cell);
    }
}

void HeatMap::keyPressEvent(QKeyEvent* event)
{
    const int across = event->key() == Qt::Key_Right ? 1 : event->key() == Qt::Key_Left ? -1 : 0;
    const int down = event->key() == Qt::Key_Down ? 1 : event->key() == Qt::Key_Up ? -1 : 0;
    if ((across == 0 && down == 0) || ranks() == 0 || steps() == 0) {
        QWidget::keyPressEvent(event);
        return;
    }
    const auto moved = [](std::size_t now, int by, std::size_t count) {
        return by < 0 && now == 0 ? now : std::min(count - 1, now + static_cast<std::size_t>(by));
    };
    const Cell now = m_chosen.value_or(Cell{});
    choose({moved(now.rank, down, ranks()), moved(now.step, across, steps())});
}

bool HeatMap::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const auto cell = cellAt(help->pos());
        QToolTip::showText(help->globalPos(), cell ? textOf(*cell) : QString(), this);
        return true;
    }
    return QWidget::event(event);
}

} // namespace ringside::gui
