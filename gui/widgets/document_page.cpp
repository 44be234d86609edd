// SPDX-License-Identifier: GPL-3.0-or-later
#include "widgets/document_page.h"

#include "base/text.h"
#include "widgets/section_page.h"

#include <ringside/error.h>

#include <QLabel>
#include <QVBoxLayout>

#include <variant>

namespace ringside::gui {
namespace {

using namespace Qt::StringLiterals;
using Result = std::variant<document::Document, QString>; ///< or why there is none

Result resultOf(const DocumentPage::Make& make, const std::atomic<bool>& stop)
{
    try {
        return make(stop);
    } catch (const Error& error) {
        return QString(toQt(error.what()) + u" "_s + toQt(error.hint));
    } catch (const std::exception& error) {
        return toQt(error.what());
    }
}

} // namespace

DocumentPage::DocumentPage(const QString& name, QWidget* parent) : QScrollArea(parent)
{
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setAccessibleName(name);
    setFocusPolicy(Qt::StrongFocus);
    auto* const page = new QWidget(this);
    auto* const lines = new QVBoxLayout(page);
    m_sentence = new QLabel(page);
    m_sentence->setObjectName(u"sentence"_s);
    m_sentence->setWordWrap(true);
    m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    m_sections = new SectionPage(page);
    lines->addWidget(m_sentence);
    lines->addWidget(m_sections);
    lines->addStretch();
    setWidget(page);
}

DocumentPage::~DocumentPage()
{
    m_stop = true;
}

void DocumentPage::make(const QString& meanwhile, const Make& document)
{
    showText(meanwhile);
    m_stop = true;
    m_worker = {};
    m_stop = false;
    m_worker = std::jthread([this, document, choice = ++m_choice] {
        QMetaObject::invokeMethod(
            this,
            [this, choice, result = resultOf(document, m_stop)] {
                if (choice != m_choice) {
                    return;
                }
                if (const auto* const page = std::get_if<document::Document>(&result)) {
                    showDocument(*page);
                } else {
                    showText(std::get<QString>(result));
                }
            },
            Qt::QueuedConnection);
    });
}

void DocumentPage::showText(const QString& text)
{
    m_sentence->setText(text.toHtmlEscaped());
    m_sections->setSections({});
}

void DocumentPage::showDocument(const document::Document& document)
{
    m_sentence->setText(u"<p style=\"font-size:large\"><b>%1: %2</b></p><p>%3</p>"_s.arg(
        toHtml(document.name), toHtml(document.verdict), toHtml(document.summary)));
    std::vector<const document::Section*> sections;
    for (const document::Section& section : document.sections) {
        sections.push_back(&section);
    }
    m_sections->setSections(sections);
}

} // namespace ringside::gui
