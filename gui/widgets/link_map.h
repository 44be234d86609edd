// SPDX-License-Identifier: GPL-3.0-or-later
// The hosts of a run as boxes with their ports, and lines between hosts that exchanged data. Width stands for
// bytes; a sign, a pattern and a colour stand for health. Tables beside it hold the same.
#pragma once
#include "widgets/link_map_layout.h"

#include <QWidget>

#include <memory>
#include <optional>

namespace ringside::gui {

class LinkMap final : public QWidget {
    Q_OBJECT
public:
    explicit LinkMap(QWidget* parent = nullptr);
    /// The map refers to the report.
    void setMap(std::shared_ptr<const report::Report> report, std::shared_ptr<const report::HostMap> map);

    /// A box, one of its chips, or a line: indices into the layout.
    struct Item {
        std::optional<std::size_t> line;
        std::size_t box = 0;
        std::optional<std::size_t> chip;
        bool operator==(const Item&) const = default;
    };
    [[nodiscard]] const LinkMapLayout& places() const { return m_layout; }
    [[nodiscard]] QPoint positionOf(const Item& item) const;
    /// Returns what the map says of an item, also to a screen reader.
    [[nodiscard]] QString textOf(const Item& item) const;

signals:
    void portChosen(std::size_t host, std::size_t port); ///< indices into HostMap::hosts and its ports
    void connectionChosen(std::size_t connection);       ///< index into HostMap::connections

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    bool event(QEvent* event) override;

private:
    void relayout();
    [[nodiscard]] QPointF origin() const; ///< of the layout: below the legend
    [[nodiscard]] QString captionText() const;
    [[nodiscard]] std::vector<Item> items() const; ///< in the order of the arrow keys
    [[nodiscard]] std::optional<Item> itemAt(const QPoint& position) const;
    [[nodiscard]] QString boxText(const MapBox& box) const;
    [[nodiscard]] QString portText(std::size_t host, const MapChip& chip) const;
    [[nodiscard]] QString lineText(const MapLine& line) const;
    [[nodiscard]] QString nameOf(const MapBox& box) const;
    [[nodiscard]] bool isFaint(const MapLine& line) const;
    void choose(const Item& item);
    void paintLegend(QPainter& painter) const;
    void paintLine(QPainter& painter, const MapLine& line, bool chosen) const;
    void paintBox(QPainter& painter, std::size_t index) const;

    std::shared_ptr<const report::Report> m_report;
    std::shared_ptr<const report::HostMap> m_map;
    LinkMapLayout m_layout;
    std::optional<Item> m_chosen;
};

} // namespace ringside::gui
