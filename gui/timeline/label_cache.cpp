// SPDX-License-Identifier: GPL-3.0-or-later
#include "timeline/label_cache.h"

#include "base/text.h"

#include <QFontMetrics>

namespace ringside::gui {
namespace {

constexpr int kLeastCharacters = 2; ///< a shorter label is not readable
constexpr std::size_t kMostLabels = 20'000;

LabelCache::Label laidOut(const QString& text, const QFontMetrics& metrics)
{
    LabelCache::Label label{QStaticText(text), metrics.horizontalAdvance(text)};
    label.text.setTextFormat(Qt::PlainText);
    return label;
}

} // namespace

const LabelCache::Label* LabelCache::fitted(const std::string& text, int width, const QFontMetrics& metrics)
{
    const auto [found, fresh] = m_entries.try_emplace(text);
    Entry& entry = found->second;
    if (fresh) {
        ++m_labels;
        entry.text = toQt(text);
        entry.whole = laidOut(entry.text, metrics);
    }
    return entry.whole.width <= width ? &entry.whole : cutTo(entry, width, metrics);
}

const LabelCache::Label* LabelCache::cutTo(Entry& entry, int width, const QFontMetrics& metrics)
{
    const auto length = static_cast<int>(entry.text.size());
    const int dots = metrics.horizontalAdvance(QChar(0x2026));
    const int guess = static_cast<int>(std::int64_t{width - dots} * length / std::max(1, entry.whole.width));
    for (int left = std::min(guess, length); left >= kLeastCharacters; --left) {
        auto label = entry.cut.find(left);
        if (label == entry.cut.end()) {
            ++m_labels;
            label = entry.cut.insert(left, laidOut(entry.text.left(left) + QChar(0x2026), metrics));
        }
        if (label->width <= width) {
            return &*label;
        }
    }
    return nullptr;
}

void LabelCache::trim()
{
    if (m_labels > kMostLabels) {
        m_entries.clear();
        m_labels = 0;
    }
}

} // namespace ringside::gui
