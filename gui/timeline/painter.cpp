// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/painter.h"

#include "base/text.h"
#include "timeline/kernel_family.h"
#include "values/text.h"

#include <QPainter>
#include <QPainterPath>

#include <cmath>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using timeline::Bar;
using timeline::MatchedCollective;
using timeline::Part;
using timeline::Span;
using timeline::SpanKind;

constexpr double kNamedWidth = 26;  ///< pixels: narrower bars show no name
constexpr double kMarkSpacing = 26; ///< pixels between two marks of last arrivals

bool isHead(const Row& row)
{
    return row.kind == Row::Kind::Rank || row.kind == Row::Kind::Host || row.kind == Row::Kind::Group;
}

void paintArrow(QPainter& painter, const QPointF& from, const QPointF& to, const QColor& colour)
{
    constexpr double kHead = 8;
    constexpr double kSlim = 0.4; // half the angle of the arrow head, radians
    const double angle = std::atan2(from.y() - to.y(), from.x() - to.x());
    const auto side = [&](double turn) {
        return to + kHead * QPointF(std::cos(angle + turn), std::sin(angle + turn));
    };
    const QPointF head[] = {to, side(kSlim), side(-kSlim)};
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colour, 1.2));
    painter.drawLine(from, to);
    painter.setBrush(colour);
    painter.drawPolygon(head, 3);
    painter.restore();
}

} // namespace

QString TimelinePainter::labelOf(const Scene& scene, const Row& row)
{
    if (row.kind == Row::Kind::Lane) {
        return toQt(scene.timeline->tracks[*row.track].name);
    }
    if (row.kind == Row::Kind::Samples) {
        const timeline::SampleLine& line = scene.timeline->samples[row.index];
        return toQt(line.name);
    }
    if (row.kind == Row::Kind::Group) {
        return toQt(scene.layout->groups[row.index]);
    }
    if (row.kind == Row::Kind::Host) {
        const std::string& host = scene.model->hosts[row.index].name;
        return host.empty() ? u"host"_s : u"host "_s + toQt(host);
    }
    const model::Rank& rank = scene.model->ranks[row.rank];
    const std::string& host = scene.model->hosts[rank.host].name;
    const std::string place = scene.model->layout.nameOf(row.rank);
    const QString name = u"rank %1"_s.arg(rank.rank) + (place.empty() ? QString() : u"  "_s + toQt(place));
    return host.empty() ? name : QString(name + u"  "_s + toQt(host));
}

QRect TimelinePainter::tracksIn(const QSize& size)
{
    return {labelWidth(), rulerHeight(), std::max(1, size.width() - labelWidth()),
            std::max(1, size.height() - rulerHeight())};
}

void TimelinePainter::paint(QPainter& painter, const Scene& scene, const QSize& size)
{
    const Frame frame{painter, scene, tracksIn(size), QFontMetrics(painter.font())};
    painter.fillRect(QRect(QPoint(), size), scene.theme->base);
    painter.save();
    painter.setClipRect(QRect(0, rulerHeight(), size.width(), frame.tracks.height()));
    m_bars.begin(frame.tracks.size(), painter.device()->devicePixelRatioF(), *scene.theme);
    m_named.clear();
    m_names.trim();
    for (const Row& row : scene.layout->rows) {
        if (frame.y(row) + row.height >= frame.tracks.top() && frame.y(row) <= size.height()) {
            addBars(frame, row);
            paintLabels(frame, row);
        }
    }
    painter.setClipRect(frame.tracks);
    painter.drawImage(frame.tracks.topLeft(), m_bars.image());
    paintUnrecorded(frame);
    for (const Named& named : m_named) {
        paintName(frame, named);
    }
    for (const Row& row : scene.layout->rows) {
        if (scene.hits != nullptr && row.track && frame.y(row) + row.height >= frame.tracks.top() &&
            frame.y(row) <= size.height()) {
            paintHits(frame, row);
        }
    }
    paintLastArrivals(frame);
    paintSelection(frame);
    paintLaunch(frame);
    painter.restore();
    paintRuler(frame);
    paintMarks(frame);
    paintHover(frame);
}

void TimelinePainter::addBars(const Frame& frame, const Row& row)
{
    const int y = row.y - frame.scene.scroll;
    if (isHead(row)) {
        m_bars.fill(y, row.height, frame.scene.theme->window);
    }
    if (row.kind == Row::Kind::Samples) {
        m_bars.add(frame.scene.timeline->samples[row.index], frame.scene.visible, y, row.height,
                   frame.scene.theme->samples);
    }
    const auto pixels = static_cast<std::size_t>(m_bars.image().width());
    if (row.kind == Row::Kind::Strip) {
        m_bars.add(timeline::rankCoverage(*frame.scene.timeline, row.rank, frame.scene.visible, pixels), y,
                   row.height);
    }
    if (!row.track) {
        return;
    }
    const timeline::Lane& lane = frame.scene.timeline->lanesOf(*row.track)[row.lane];
    const std::vector<Bar> bars =
        lane.bars(frame.scene.visible, nsPerPixel(frame.scene.visible, static_cast<double>(pixels)));
    const auto colourOf = [&](const Bar& bar) -> std::optional<QRgb> {
        const auto family = familyOf(frame, row, bar.longest);
        return family ? std::optional(frame.scene.theme->of(*family).rgb()) : std::nullopt;
    };
    m_bars.add(bars, timeline::coverageOf(lane, bars, frame.scene.visible, pixels), frame.scene.visible,
               y + 1, row.height - 2, frame.scene.byFamily ? colourOf : BarImage::ColourOf());
    for (const Bar& bar : bars) {
        if (static_cast<double>(bar.longestNs) * frame.pixelsPerNs() >= kNamedWidth) {
            m_named.push_back({&row, bar.longest});
        }
    }
}

std::optional<timeline::WorkFamily> TimelinePainter::familyOf(const Frame& frame, const Row& row,
                                                              std::size_t span)
{
    const timeline::Track& track = frame.scene.timeline->tracks[*row.track];
    const Span what = track.lanes[row.lane].span(span);
    if (what.kind == SpanKind::Wait) {
        return std::nullopt; // it has the name of a kernel, but is no work
    }
    constexpr unsigned kNameBits = 40;
    const std::uint64_t key = static_cast<std::uint64_t>(*row.track) << kNameBits ^
                              timeline::nameKey(*frame.scene.model, track, what);
    const auto [entry, fresh] = m_families.try_emplace(key);
    if (fresh) {
        entry->second = timeline::workFamilyOf(*frame.scene.model, track, what);
    }
    return entry->second;
}

void TimelinePainter::paintLabels(const Frame& frame, const Row& row) const
{
    const int y = frame.y(row);
    if (isHead(row)) {
        frame.painter.fillRect(0, y, frame.tracks.left(), row.height, frame.scene.theme->window);
    }
    if (frame.scene.marked.contains(row.rank)) {
        frame.painter.fillRect(0, y, 4, row.height, frame.scene.theme->accent);
    }
    if (row.kind == Row::Kind::Samples) {
        const timeline::SampleLine& line = frame.scene.timeline->samples[row.index];
        Row half = row;
        half.height = row.height / 2;
        paintLabel(frame, half, labelOf(frame.scene, row), false);
        half.y += half.height;
        paintLabel(frame, half, u"0 to "_s + toQt(timeline::valueText(line.most, line.unit)), false);
    } else if (row.kind == Row::Kind::Strip) {
        paintStripLabel(frame, row);
    } else if (row.kind != Row::Kind::Lane || row.lane == 0) {
        paintLabel(frame, row, labelOf(frame.scene, row), isHead(row));
    }
}

/// Strips are lower than a text, so that only some have a label: those of round positions in the layout.
void TimelinePainter::paintStripLabel(const Frame& frame, const Row& row) const
{
    const int every = (frame.metrics.height() + row.height) / (row.height + 1);
    const auto place = &row - frame.scene.layout->rows.data();
    const bool marked = frame.scene.marked.contains(row.rank);
    if (place % every == 0 || marked) {
        Row high = row;
        high.y -= (frame.metrics.height() - row.height) / 2;
        high.height = frame.metrics.height();
        if (marked) { // hides a neighbour's label below it
            frame.painter.fillRect(5, frame.y(high), labelWidth() - 8, high.height, frame.scene.theme->base);
        }
        paintLabel(frame, high, labelOf(frame.scene, row), false);
    }
}

void TimelinePainter::paintLabel(const Frame& frame, const Row& row, const QString& text, bool bold) const
{
    constexpr int kIndent = 10;
    const int left = bold ? kIndent : 2 * kIndent;
    const QRect box(left, frame.y(row), labelWidth() - left - 6, row.height);
    QFont font = frame.painter.font();
    font.setBold(bold);
    frame.painter.save();
    frame.painter.setFont(font);
    frame.painter.setPen(bold ? frame.scene.theme->text : frame.scene.theme->dim);
    frame.painter.drawText(box, Qt::AlignVCenter | Qt::AlignLeft,
                           QFontMetrics(font).elidedText(text, Qt::ElideMiddle, box.width()));
    frame.painter.restore();
}

void TimelinePainter::paintName(const Frame& frame, const Named& named)
{
    constexpr double kRoom = 4;
    const timeline::Track& track = frame.scene.timeline->tracks[*named.row->track];
    const Span span = frame.scene.timeline->lanesOf(*named.row->track)[named.row->lane].span(named.span);
    QRectF box = frame.box(*named.row, span.time);
    box.setLeft(std::max<double>(box.left(), frame.tracks.left()));
    const double width = std::min<double>(box.right(), frame.tracks.right()) - box.left() - 2 * kRoom;
    const bool waits = span.kind == SpanKind::Wait;
    // kernels by their short names: the whole one is in the tool tip and beside the timeline
    const bool kernel = span.kind == SpanKind::Compute || span.kind == SpanKind::Communication ||
                        span.kind == SpanKind::Transfer;
    const std::string whole = timeline::nameOf(*frame.scene.model, track, span);
    const std::string name = waits ? "waits" : kernel ? timeline::shortName(whole) : whole;
    const LabelCache::Label* label = m_names.fitted(name, static_cast<int>(width), frame.metrics);
    if (span.kind == SpanKind::Step && width < frame.metrics.horizontalAdvance(toQt(name))) {
        const model::Step& step = frame.scene.model->ranks[named.row->rank].steps[span.row];
        label = m_names.fitted(std::to_string(step.number), static_cast<int>(width), frame.metrics);
    }
    if (label == nullptr) {
        return;
    }
    const auto family = frame.scene.byFamily ? familyOf(frame, *named.row, named.span) : std::nullopt;
    const QColor& colour = family ? frame.scene.theme->of(*family) : frame.scene.theme->of(span.kind);
    if (waits) { // a filled box would hide the text, so that only its colour is laid under it
        frame.painter.fillRect(QRectF(box.left() + 1, box.top(), label->width + 2 * kRoom - 1, box.height()),
                               colour);
    }
    frame.painter.setPen(inkOn(colour));
    frame.painter.drawStaticText(
        QPointF(box.left() + kRoom, box.top() + (box.height() - frame.metrics.height()) / 2), label->text);
}

/// Underlines the hits of a search. Of those within one pixel, one is painted.
void TimelinePainter::paintHits(const Frame& frame, const Row& row) const
{
    constexpr int kLine = 4;
    const timeline::Lane& lane = frame.scene.timeline->lanesOf(*row.track)[row.lane];
    const std::span<const timeline::SpanId> hits = frame.scene.hits->of(*row.track, row.lane);
    const auto byIndex = [](const timeline::SpanId& id, std::size_t index) { return id.index < index; };
    auto hit =
        std::lower_bound(hits.begin(), hits.end(), lane.firstEndingAfter(frame.scene.visible.start), byIndex);
    frame.painter.setPen(QPen(frame.scene.theme->base, 1));
    frame.painter.setBrush(frame.scene.theme->mark);
    while (hit != hits.end()) {
        const Span span = lane.span(hit->index);
        if (span.time.start >= frame.scene.visible.end) {
            break;
        }
        const QRectF box = frame.box(row, span.time);
        frame.painter.drawRect(QRectF(box.left(), box.bottom() - kLine, std::max(2.0, box.width()), kLine));
        const std::int64_t next = model::addCapped(std::max(span.time.start, frame.scene.visible.start),
                                                   nsPerPixel(frame.scene.visible, frame.tracks.width()));
        hit = std::lower_bound(hit + 1, hits.end(), lane.firstStartingFrom(next), byIndex);
    }
}

/// Marks last arrivals: a triangle above the communication of that rank, while there is room for triangles.
void TimelinePainter::paintLastArrivals(const Frame& frame) const
{
    const timeline::Timeline& timeline = *frame.scene.timeline;
    const double nsAPixel =
        static_cast<double>(frame.scene.visible.length()) / std::max(1, frame.tracks.width());
    const auto spacing = static_cast<std::int64_t>(nsAPixel * kMarkSpacing);
    const QColor mark = frame.scene.theme->mark;
    frame.painter.save();
    frame.painter.setRenderHint(QPainter::Antialiasing);
    for (const std::size_t index : timeline.collectivesIn(frame.scene.visible, spacing)) {
        const MatchedCollective& collective = timeline.collectives[index];
        const auto lost = static_cast<double>(collective.lostNs);
        if (lost < 3 * nsAPixel) {
            continue; // no waiting is visible
        }
        for (const Part& part : timeline.partsOf(collective, collective.lastRank)) {
            const Row* const row = frame.scene.layout->rowOf(part.track, part.lane);
            if (row == nullptr || !frame.isNear(*row)) {
                continue;
            }
            const double x = frame.x(collective.lastArrivalNs);
            const double y = frame.y(*row) - 5.0;
            const QPointF points[] = {{x - 5, y}, {x + 5, y}, {x, y + 9}};
            frame.painter.setPen(QPen(frame.scene.theme->base, 1));
            frame.painter.setBrush(mark);
            frame.painter.drawPolygon(points, 3);
        }
    }
    frame.painter.restore();
    if (frame.scene.collective) {
        paintCollective(frame, timeline.collectives[*frame.scene.collective]);
    }
}

/// Paints a note and moves it so that it stays inside of the tracks.
void TimelinePainter::paintNote(const Frame& frame, const QPointF& at, const QString& text) const
{
    const QSizeF size(frame.metrics.horizontalAdvance(text) + 8, frame.metrics.height() + 2);
    const QColor& accent = frame.scene.theme->accent;
    const QRectF note(
        {std::max<double>(frame.tracks.left(), std::min(at.x(), frame.tracks.right() - size.width())),
         std::max(at.y(), frame.tracks.top() + 2.0)},
        size);
    frame.painter.fillRect(note, accent);
    frame.painter.setPen(inkOn(accent));
    frame.painter.drawText(note, Qt::AlignCenter, text);
}

/// The boxes of a collective's parts in rows that are visible or nearly so, from the top, and that of the
/// rank that came last, wherever it is.
TimelinePainter::PartBoxes TimelinePainter::boxesOf(const Frame& frame,
                                                    const MatchedCollective& collective) const
{
    PartBoxes found;
    for (const Row& row : frame.scene.layout->rows) {
        const bool isLast = row.rank == collective.lastRank;
        if (row.rank == Row::kNoRank || !(isLast || frame.isNear(row))) {
            continue;
        }
        for (const Part& part : frame.scene.timeline->partsOf(collective, row.rank)) {
            if (frame.scene.layout->rowOf(part.track, part.lane) == &row) {
                found.boxes.push_back(frame.box(row, part.time));
                found.last = isLast ? found.boxes.back() : found.last;
            }
        }
    }
    return found;
}

/// Connects one collective over all ranks: each arrival, the last arrival and the end.
void TimelinePainter::paintCollective(const Frame& frame, const MatchedCollective& collective) const
{
    const auto [boxes, last] = boxesOf(frame, collective);
    if (boxes.empty()) {
        return;
    }
    const QColor accent = frame.scene.theme->accent;
    QPolygonF arrivals;
    frame.painter.save();
    frame.painter.setPen(QPen(accent, 2));
    frame.painter.setBrush(Qt::NoBrush);
    for (const QRectF& box : boxes) {
        arrivals << QPointF(box.left(), box.center().y());
        frame.painter.drawRect(box.adjusted(0, -1, 0, 1));
    }
    frame.painter.setRenderHint(QPainter::Antialiasing);
    frame.painter.setPen(QPen(accent, 1.5));
    frame.painter.drawPolyline(arrivals);
    frame.painter.setRenderHint(QPainter::Antialiasing, false);
    frame.painter.setPen(QPen(frame.scene.theme->mark, 1, Qt::DashLine));
    const double x = std::round(frame.x(collective.lastArrivalNs));
    frame.painter.drawLine(QPointF(x, arrivals.first().y() - 12), QPointF(x, arrivals.last().y() + 12));
    if (last) {
        paintReleases(frame, boxes, *last, x);
    }
    const QString text = u"rank %1 arrived last, %2"_s.arg(frame.scene.model->ranks[collective.lastRank].rank)
                             .arg(toQt(values::durationText(collective.lostNs)));
    paintNote(frame, {x + 4, arrivals.first().y() - 34}, text);
    frame.painter.restore();
}

/// The last arrival releases the ranks that wait: one line to the farthest of them, and a head at each that
/// has room for one. Lines of their own would lie over each other, and take longer than the frame.
void TimelinePainter::paintReleases(const Frame& frame, const std::vector<QRectF>& boxes, const QRectF& last,
                                    double x) const
{
    constexpr double kSeen = 3;  // pixels: shorter waiting is not visible
    constexpr double kApart = 8; // pixels between two heads
    const QColor& mark = frame.scene.theme->mark;
    double above = last.top();
    double below = last.bottom();
    double before = -1e9;
    for (const QRectF& box : boxes) {
        const bool isBelow = box.top() > last.top();
        const double tip = isBelow ? box.top() : box.bottom();
        if (x - box.left() <= kSeen) {
            continue;
        }
        above = std::min(above, tip);
        below = std::max(below, isBelow ? tip : below);
        if (tip - before >= kApart) {
            paintArrow(frame.painter, {x, isBelow ? tip - 1 : tip + 1}, {x, tip}, mark);
            before = tip;
        }
    }
    frame.painter.setPen(QPen(mark, 1));
    frame.painter.drawLine(QPointF(x, std::max<double>(above, frame.tracks.top())),
                           QPointF(x, std::min<double>(below, frame.tracks.bottom())));
}

void TimelinePainter::paintSelection(const Frame& frame) const
{
    const auto band = [&](const Interval& time, const QColor& colour, int alpha) {
        QColor fill = colour;
        fill.setAlpha(alpha);
        const double left = frame.x(time.start);
        const double right = std::max(frame.x(time.end), left + 2);
        frame.painter.fillRect(QRectF(left, frame.tracks.top(), right - left, frame.tracks.height()), fill);
        frame.painter.setPen(QPen(colour, 1));
        frame.painter.drawLine(QPointF(left, frame.tracks.top()), QPointF(left, frame.tracks.bottom()));
        frame.painter.drawLine(QPointF(right, frame.tracks.top()), QPointF(right, frame.tracks.bottom()));
    };
    if (frame.scene.evidence) {
        band(*frame.scene.evidence, frame.scene.theme->accent, 26);
    }
    if (frame.scene.range) {
        band(*frame.scene.range, frame.scene.theme->mark, 30);
    }
    if (const auto& selected = frame.scene.selected) {
        if (const Row* const row = frame.scene.layout->rowOf(selected->track, selected->lane)) {
            frame.painter.setPen(QPen(frame.scene.theme->mark, 2));
            frame.painter.setBrush(Qt::NoBrush);
            frame.painter.drawRect(
                frame.box(*row, frame.scene.timeline->span(*selected).time).adjusted(0, 0, 0, 0));
        }
    }
}

void TimelinePainter::paintLaunch(const Frame& frame) const
{
    const auto rowOf = [&](const timeline::SpanId& id) {
        return frame.scene.layout->rowOf(id.track, id.lane);
    };
    const auto& launch = frame.scene.launch;
    const Row* const call = launch ? rowOf(launch->call) : nullptr;
    const Row* const work = launch ? rowOf(launch->work) : nullptr;
    if (call == nullptr || work == nullptr) {
        return;
    }
    const QRectF from = frame.box(*call, frame.scene.timeline->span(launch->call).time);
    const QRectF to = frame.box(*work, frame.scene.timeline->span(launch->work).time);
    const bool up = to.top() < from.top();
    paintArrow(frame.painter, {from.left(), up ? from.top() : from.bottom()},
               {to.left(), up ? to.bottom() : to.top()}, frame.scene.theme->mark);
}

} // namespace ringside::gui
