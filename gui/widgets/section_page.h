// SPDX-License-Identifier: GPL-3.0-or-later
// Shows sections of a document one below the other, whatever their blocks are: what the analyzer adds to a
// document appears here without code of its own.
#pragma once
#include "document/document.h"

#include <QWidget>

#include <vector>

class QVBoxLayout;

namespace ringside::gui {

class SectionPage final : public QWidget {
    Q_OBJECT
public:
    explicit SectionPage(QWidget* parent = nullptr);
    /// Copies what it shows. If the same sections come again, their widgets stay, with the reader's sorting
    /// and place in them.
    void setSections(const std::vector<const document::Section*>& sections);
    /// Unfolds a section and returns its heading; null if the page has no such section.
    QWidget* open(document::SectionId id);

signals:
    /// A row or a link was chosen that has a moment in the run.
    void placeChosen(const ringside::document::Place& place);

private:
    /// The kinds of a section's blocks, and the widgets that show them.
    struct Shown {
        document::SectionId id = document::SectionId::KeyFigures;
        bool folded = false;
        std::vector<std::size_t> kinds;
        QWidget* heading = nullptr;
        std::vector<QWidget*> blocks;
        [[nodiscard]] bool fits(const document::Section& section) const;
    };
    void build(const document::Section& section);
    QWidget* headingFor(const document::Section& section, QWidget* body);
    QWidget* widgetFor(const document::Block& block, QWidget* parent);

    QVBoxLayout* m_lines;
    std::vector<Shown> m_shown;
};

} // namespace ringside::gui
