// SPDX-License-Identifier: GPL-3.0-or-later
// Texts laid out once, whole and cut to what fits, whatever the frame: laying one out takes longer than
// painting its bar.
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
    /// The text, or its begin and "…", in at most so many pixels. Null: nothing readable fits. Valid until
    /// the next call. All calls with the same font.
    const Label* fitted(const std::string& text, int width, const QFontMetrics& metrics);
    /// Forgets everything when it has become much; between two frames.
    void trim();

private:
    struct Entry {
        QString text;
        Label whole;
        QHash<int, Label> cut; ///< by characters left
    };
    const Label* cutTo(Entry& entry, int width, const QFontMetrics& metrics);

    std::unordered_map<std::string, Entry> m_entries;
    std::size_t m_labels = 0;
};

} // namespace ringside::gui
