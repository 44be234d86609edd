// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/empty_page.h"

#include "base/theme.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

namespace ringside::gui {

using namespace Qt::StringLiterals;

EmptyPage::EmptyPage(QWidget* parent) : QWidget(parent), m_text(new QLabel(this))
{
    constexpr int kWidest = 640; // pixels: longer lines are hard to read
    constexpr int kMargin = 20;
    m_text->setWordWrap(true);
    m_text->setTextFormat(Qt::RichText);
    m_text->setMaximumWidth(scaled(kWidest));
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    auto* const lines = new QVBoxLayout(this);
    lines->setContentsMargins(kMargin, kMargin, kMargin, kMargin);
    lines->addWidget(m_text);
    lines->addStretch();
}

void EmptyPage::setText(const QString& title, const QString& html)
{
    m_text->setText(u"<h3>%1</h3>%2"_s.arg(title, html));
}

void EmptyPage::offer(const QString& text, const QString& help, const std::function<void()>& act)
{
    auto* const button = new QPushButton(text, this);
    button->setToolTip(help);
    button->setAccessibleDescription(help);
    button->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
    connect(button, &QPushButton::clicked, this, act);
    auto* const lines = static_cast<QVBoxLayout*>(layout());
    lines->insertWidget(lines->count() - 1, button);
}

} // namespace ringside::gui
