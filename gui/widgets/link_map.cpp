// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/link_map.h"

#include "base/text.h"
#include "document/table.h"
#include "values/text.h"
#include "widgets/health_sign.h"
#include "widgets/picture_menu.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>

#include <algorithm>

namespace ringside::gui {

using namespace Qt::StringLiterals;
using report::Health;

namespace {

constexpr int kEdge = 8;

QString healthText(Health health)
{
    return toQt(report::healthName(health));
}

QString ranksText(const std::vector<std::int64_t>& ranks)
{
    constexpr std::size_t kNamed = 4;
    QStringList names;
    for (std::size_t i = 0; i < std::min(kNamed, ranks.size()); ++i) {
        names << QString::number(ranks[i]);
    }
    const bool many = ranks.size() > kNamed;
    const bool inOrder =
        !ranks.empty() && ranks.back() - ranks.front() + 1 == static_cast<std::int64_t>(ranks.size());
    return (ranks.size() == 1 ? u"rank "_s : u"ranks "_s) +
           (many && inOrder ? u"%1–%2"_s.arg(ranks.front()).arg(ranks.back())
            : many          ? u"%1 and %2 more"_s.arg(names.join(u", "_s)).arg(ranks.size() - kNamed)
                            : names.join(u", "_s));
}

QString titlesOf(const report::Report& report, const std::vector<const rules::Finding*>& findings)
{
    QString text;
    for (const rules::Finding* const finding : findings) {
        text += u"\n"_s + toQt(report.sentence(finding->title));
    }
    return text;
}

} // namespace

LinkMap::LinkMap(QWidget* parent) : QWidget(parent)
{
    setAccessibleName(u"Map of hosts and links"_s);
    setAccessibleDescription(u"The tables below hold the same. Arrows choose a host, a port or a line."_s);
    setFocusPolicy(Qt::StrongFocus);
    addPictureMenu(*this, [this](const QPoint& position) {
        const auto item = m_map ? itemAt(position) : std::nullopt;
        return item ? textOf(*item) : QString();
    });
}

void LinkMap::setMap(std::shared_ptr<const report::Report> report, std::shared_ptr<const report::HostMap> map)
{
    m_chosen.reset();
    m_report = std::move(report);
    m_map = std::move(map);
    relayout();
}

void LinkMap::relayout()
{
    if (!m_map) {
        return;
    }
    m_layout = layOut(*m_map, width(), fontMetrics().height());
    setMinimumHeight(static_cast<int>(origin().y() + m_layout.height));
    update();
}

QPointF LinkMap::origin() const
{
    const QRect caption = fontMetrics().boundingRect(QRect(0, 0, std::max(50, width() - 2 * kEdge), 1000),
                                                     Qt::TextWordWrap, captionText());
    return {0.0, static_cast<double>(kEdge + fontMetrics().height() + 6 + caption.height() + 4)};
}

/// What the lines are of, and the rules by which hosts and lines were left out.
QString LinkMap::captionText() const
{
    if (m_map->hosts.size() == 1) {
        return u"All ranks are on one host, so that there are no lines."_s;
    }
    const QString source = toQt(metrics::trafficSourceText(m_map->source));
    if (m_layout.lines.empty()) {
        return source;
    }
    const std::int64_t most = std::ranges::max(m_layout.lines, {}, &MapLine::bytes).bytes;
    QString text =
        u"Lines: %1 The widest is %2."_s.arg(source, toQt(values::byteText(static_cast<double>(most))));
    if (m_layout.linesLeftOut > 0) {
        text +=
            u" %L1 of %L2 lines are drawn: those with faults, then the busiest."_s.arg(m_layout.lines.size())
                .arg(m_layout.lines.size() + m_layout.linesLeftOut);
    }
    if (m_layout.boxes.back().hosts.size() > 1) {
        text += u" Hosts with faults, then the busiest, have boxes; the last box is the other %L1."_s.arg(
            m_layout.boxes.back().hosts.size());
    }
    return text;
}

QString LinkMap::nameOf(const MapBox& box) const
{
    return box.hosts.size() == 1 ? toQt(m_map->hosts[box.hosts.front()].name)
                                 : u"%L1 more hosts"_s.arg(box.hosts.size());
}

QString LinkMap::boxText(const MapBox& box) const
{
    if (box.hosts.size() > 1) {
        return u"%1, the worst port: %2. The tables list them."_s.arg(nameOf(box), healthText(box.health));
    }
    const report::MapHost& host = m_map->hosts[box.hosts.front()];
    return u"%1, %2, %3"_s.arg(toQt(host.name), ranksText(host.ranks),
                               host.ports.empty() ? u"no port was sampled"_s
                                                  : u"ports: %1"_s.arg(healthText(box.health)));
}

QString LinkMap::portText(std::size_t host, const MapChip& chip) const
{
    const report::MapHost& all = m_map->hosts[host];
    QStringList lines;
    for (const std::size_t index : chip.ports) {
        const report::MapPort& port = all.ports[index];
        QString line = u"%1 %2: %3"_s.arg(toQt(all.name), toQt(port.name), healthText(port.health));
        if (!port.nearRanks.empty()) {
            line += u", nearest to the GPUs of %1"_s.arg(ranksText(port.nearRanks));
        }
        lines << line + titlesOf(*m_report, report::findingsOf(*m_report, all, port));
    }
    return lines.join(u"\n"_s);
}

QString LinkMap::lineText(const MapLine& line) const
{
    constexpr std::size_t kNamed = 4;
    const document::Table table = report::connectionTable(*m_report, *m_map);
    QStringList lines;
    for (std::size_t i = 0; i < std::min(kNamed, line.connections.size()); ++i) {
        const report::Connection& each = m_map->connections[line.connections[i]];
        const std::vector<document::Cell>& row = table.rows[line.connections[i]];
        const auto cell = [&row](std::size_t column) { return toQt(document::cellText(row[column])); };
        lines << u"%1 → %2: %3 at %4 GB/s, %5"_s.arg(cell(0), cell(1), cell(2), cell(3),
                                                     healthText(each.health)) +
                     titlesOf(*m_report, each.findings);
    }
    if (line.connections.size() > kNamed) {
        lines << u"and %L1 more"_s.arg(line.connections.size() - kNamed);
    }
    return lines.join(u"\n"_s);
}

QString LinkMap::textOf(const Item& item) const
{
    if (item.line) {
        return lineText(m_layout.lines[*item.line]);
    }
    const MapBox& box = m_layout.boxes[item.box];
    return item.chip ? portText(box.hosts.front(), box.chips[*item.chip]) : boxText(box);
}

std::vector<LinkMap::Item> LinkMap::items() const
{
    std::vector<Item> all;
    for (std::size_t box = 0; box < m_layout.boxes.size(); ++box) {
        all.push_back({std::nullopt, box, std::nullopt});
        for (std::size_t chip = 0; chip < m_layout.boxes[box].chips.size(); ++chip) {
            all.push_back({std::nullopt, box, chip});
        }
    }
    for (std::size_t line = 0; line < m_layout.lines.size(); ++line) {
        all.push_back({line, 0, std::nullopt});
    }
    return all;
}

QPoint LinkMap::positionOf(const Item& item) const
{
    const QPointF place = item.line   ? m_layout.lines[*item.line].path.pointAtPercent(0.5)
                          : item.chip ? m_layout.boxes[item.box].chips[*item.chip].box.center()
                                      : m_layout.boxes[item.box].box.topLeft() + QPointF(4, 4);
    return (place + origin()).toPoint();
}

std::optional<LinkMap::Item> LinkMap::itemAt(const QPoint& position) const
{
    constexpr double kNear = 10;
    const QPointF place = QPointF(position) - origin();
    for (std::size_t i = 0; i < m_layout.boxes.size(); ++i) {
        const MapBox& box = m_layout.boxes[i];
        if (box.box.contains(place)) {
            const auto chip = std::ranges::find_if(
                box.chips, [&](const MapChip& each) { return each.box.contains(place); });
            return Item{std::nullopt, i,
                        chip != box.chips.end()
                            ? std::optional(static_cast<std::size_t>(chip - box.chips.begin()))
                            : std::nullopt};
        }
    }
    for (std::size_t i = m_layout.lines.size(); i-- > 0;) {
        QPainterPathStroker stroker;
        stroker.setWidth(std::max(kNear, m_layout.lines[i].width));
        if (stroker.createStroke(m_layout.lines[i].path).contains(place)) {
            return Item{i, 0, std::nullopt};
        }
    }
    return std::nullopt;
}

void LinkMap::choose(const Item& item)
{
    m_chosen = item;
    setAccessibleDescription(textOf(item));
    update();
    if (item.line) {
        emit connectionChosen(m_layout.lines[*item.line].connections.front());
    } else if (item.chip) {
        const MapBox& box = m_layout.boxes[item.box];
        emit portChosen(box.hosts.front(), box.chips[*item.chip].ports.front());
    }
}

/// A chosen host shows its own lines only; the others fade.
bool LinkMap::isFaint(const MapLine& line) const
{
    return m_chosen && !m_chosen->line && line.from != m_chosen->box && line.to != m_chosen->box;
}

void LinkMap::paintLegend(QPainter& painter) const
{
    const Theme& theme = themeOf(palette());
    int x = kEdge;
    const int high = fontMetrics().height();
    for (const Health health : {Health::Ok, Health::Warning, Health::Problem, Health::NotMeasured}) {
        constexpr int kLine = 26;
        painter.setPen(QPen(colourOf(health, theme), 3, penOf(health)));
        painter.drawLine(x, kEdge + high / 2, x + kLine, kEdge + high / 2);
        paintHealth(painter, QRectF(x + kLine + 4, kEdge, high, high), health, theme);
        x += kLine + high + 9;
        painter.setPen(theme.text);
        const QString text = healthText(health);
        painter.drawText(QRect(x, kEdge, 200, high), Qt::AlignLeft | Qt::AlignVCenter, text);
        x += fontMetrics().horizontalAdvance(text) + 16;
    }
    painter.setPen(theme.dim);
    painter.drawText(QRect(kEdge, kEdge + high + 6, width() - 2 * kEdge, 1000), Qt::TextWordWrap,
                     captionText());
}

void LinkMap::paintLine(QPainter& painter, const MapLine& line, bool chosen) const
{
    constexpr double kFaint = 0.25;
    constexpr double kCrowded = 0.5;
    constexpr std::size_t kCrowd = 64; // so many lines hide each other
    const Theme& theme = themeOf(palette());
    const bool fault = line.health == Health::Warning || line.health == Health::Problem;
    const bool isOneOfMany = m_layout.lines.size() > kCrowd && !fault && !m_chosen;
    painter.setOpacity(isFaint(line) ? kFaint : isOneOfMany ? kCrowded : 1.0);
    painter.setBrush(Qt::NoBrush);
    if (chosen) {
        painter.setPen(QPen(theme.mark, line.width + 4));
        painter.drawPath(line.path);
    }
    QPen pen(colourOf(line.health, theme), line.width, penOf(line.health), Qt::FlatCap);
    painter.setPen(pen);
    painter.drawPath(line.path);
    painter.setOpacity(1.0);
}

void LinkMap::paintBox(QPainter& painter, std::size_t index) const
{
    const Theme& theme = themeOf(palette());
    const MapBox& box = m_layout.boxes[index];
    const bool chosen = m_chosen && !m_chosen->line && m_chosen->box == index;
    const bool fault = box.health == Health::Warning || box.health == Health::Problem;
    painter.setPen(QPen(chosen  ? theme.mark
                        : fault ? colourOf(box.health, theme)
                                : theme.dim,
                        chosen || fault ? 2 : 1));
    painter.setBrush(theme.card);
    painter.drawRoundedRect(box.box, 4, 4);
    const int high = fontMetrics().height();
    QRectF line(box.box.left() + kEdge, box.box.top() + 4, box.box.width() - 2 * kEdge, high);
    const auto write = [&](const QString& text, const QColor& ink) {
        painter.setPen(ink);
        painter.drawText(line, Qt::AlignLeft | Qt::AlignVCenter,
                         fontMetrics().elidedText(text, Qt::ElideMiddle, static_cast<int>(line.width())));
        line.translate(0, high);
    };
    write(nameOf(box), theme.text);
    if (box.hosts.size() > 1) {
        paintHealth(painter, QRectF(line.left(), box.box.bottom() - high - 4, high, high), box.health, theme);
    } else if (m_layout.isRing) {
        write(ranksText(m_map->hosts[box.hosts.front()].ranks), theme.dim);
    }
    if (box.hosts.size() == 1 && box.chips.empty()) {
        write(u"no port"_s, theme.dim);
    }
    for (std::size_t i = 0; i < box.chips.size(); ++i) {
        const MapChip& chip = box.chips[i];
        paintHealth(painter, chip.box, chip.health, theme);
        if (chosen && m_chosen->chip == i) {
            painter.setBrush(Qt::NoBrush);
            painter.setPen(QPen(theme.mark, 2));
            painter.drawRect(chip.box.adjusted(-2, -2, 2, 2));
        }
    }
}

void LinkMap::paintEvent(QPaintEvent* /*event*/)
{
    constexpr double kSign = 14;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    const Theme& theme = themeOf(palette());
    painter.fillRect(rect(), theme.base);
    if (!m_map || m_layout.boxes.empty()) {
        return;
    }
    paintLegend(painter);
    painter.translate(origin());
    for (std::size_t i = 0; i < m_layout.lines.size(); ++i) {
        paintLine(painter, m_layout.lines[i], m_chosen && m_chosen->line == i);
    }
    for (std::size_t i = 0; i < m_layout.boxes.size(); ++i) {
        paintBox(painter, i);
    }
    for (const MapLine& line : m_layout.lines) {
        if ((line.health == Health::Warning || line.health == Health::Problem) && !isFaint(line)) {
            const QPointF middle = line.path.pointAtPercent(0.5);
            paintHealth(painter, QRectF(middle.x() - kSign / 2, middle.y() - kSign / 2, kSign, kSign),
                        line.health, theme);
        }
    }
}

void LinkMap::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    relayout();
}

void LinkMap::mousePressEvent(QMouseEvent* event)
{
    if (event->button() != Qt::LeftButton || !m_map) {
        return;
    }
    if (const auto item = itemAt(event->position().toPoint())) {
        choose(*item);
    } else {
        m_chosen.reset();
        update();
    }
}

void LinkMap::keyPressEvent(QKeyEvent* event)
{
    const int by = event->key() == Qt::Key_Right || event->key() == Qt::Key_Down ? 1
                   : event->key() == Qt::Key_Left || event->key() == Qt::Key_Up  ? -1
                                                                                 : 0;
    const std::vector<Item> all = m_map && by != 0 ? items() : std::vector<Item>{};
    if (all.empty()) {
        QWidget::keyPressEvent(event);
        return;
    }
    const auto now = m_chosen ? std::ranges::find(all, *m_chosen) : all.end();
    const auto last = static_cast<std::ptrdiff_t>(all.size()) - 1;
    const std::ptrdiff_t next =
        now == all.end() ? 0 : std::clamp<std::ptrdiff_t>(now - all.begin() + by, 0, last);
    choose(all[static_cast<std::size_t>(next)]);
}

bool LinkMap::event(QEvent* event)
{
    if (event->type() == QEvent::ToolTip) {
        const auto* const help = static_cast<QHelpEvent*>(event);
        const auto item = m_map ? itemAt(help->pos()) : std::nullopt;
        QToolTip::showText(help->globalPos(), item ? textOf(*item) : QString(), this);
        return true;
    }
    if (event->type() == QEvent::FontChange || event->type() == QEvent::PaletteChange) {
        relayout();
    }
    return QWidget::event(event);
}

} // namespace ringside::gui
