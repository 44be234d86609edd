// SPDX-License-Identifier: GPL-3.0-or-later
// Caches laid-out texts, whole and shortened, over all frames: laying out a text takes longer than painting
// its bar.
#pragma once
#include <QHash>
#include <QStaticText>
#include <QString>

#include <string>
#include <unordered_map>

class QFontMetrics;

namespace ringside::gui {

class LabelCache final {
public:
    struct Label {
        QStaticText text;
        int width = 0;
    };
    /// Returns the text, shortened with "…" if it is wider than `width` pixels, or null if nothing readable
    /// fits. The pointer is valid until the next call. All calls must use the same font.
    const Label* fitted(const std::string& text, int width, const QFontMetrics& metrics);
    /// Empties the cache if it has become large. Call it between two frames.
    void trim();

private:
    struct Entry {
        QString text;
        Label whole;
        QHash<int, Label> cut; ///< by number of characters kept
    };
    const Label* cutTo(Entry& entry, int width, const QFontMetrics& metrics);

    std::unordered_map<std::string, Entry> m_entries;
    std::size_t m_labels = 0;
};

} // namespace ringside::gui
