// SPDX-License-Identifier: GPL-3.0-or-later
// Page that a view shows instead of an empty chart: why there is nothing, and what to do about it.
#pragma once
#include <QString>
#include <QWidget>

#include <functional>

class QLabel;

namespace ringside::gui {

class EmptyPage final : public QWidget {
    Q_OBJECT
public:
    explicit EmptyPage(QWidget* parent = nullptr);
    void setText(const QString& title, const QString& html);
    /// Adds a button below the text.
    void offer(const QString& text, const QString& help, const std::function<void()>& act);

private:
    QLabel* m_text;
};

} // namespace ringside::gui
