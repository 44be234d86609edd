// SPDX-License-Identifier: GPL-3.0-or-later
// A page that shows a whole document: the verdict, the summary and all sections. The document is made in the
// background, because it is read from files that no window holds.
#pragma once
#include "document/document.h"

#include <QScrollArea>

#include <atomic>
#include <functional>
#include <thread>

class QLabel;

namespace ringside::gui {

class SectionPage;

class DocumentPage final : public QScrollArea {
    Q_OBJECT
public:
    /// Called on another thread; it should throw when `stop` is set.
    using Make = std::function<document::Document(const std::atomic<bool>& stop)>;
    DocumentPage(const QString& name, QWidget* parent);
    ~DocumentPage() override;
    /// Says `meanwhile` until the document is there, or why there is none. An earlier one is of no interest
    /// any more.
    void make(const QString& meanwhile, const Make& document);

private:
    void showText(const QString& text);
    void showDocument(const document::Document& document);

    QLabel* m_sentence;
    SectionPage* m_sections;
    std::atomic<bool> m_stop = false;
    int m_choice = 0;      ///< number of the last request
    std::jthread m_worker; ///< joined before the widgets go
};

} // namespace ringside::gui
