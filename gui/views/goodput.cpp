// SPDX-License-Identifier: GPL-3.0-or-later
// `ringside goodput`: where the time of a job went, over the runs that it consists of.
#include "compare/goodput.h"

#include "base/navigator.h"
#include "base/text.h"
#include "import/open_run.h"
#include "views/view.h"
#include "widgets/empty_page.h"
#include "widgets/section_page.h"

#include <ringside/error.h>

#include <QFileDialog>
#include <QLabel>
#include <QScrollArea>
#include <QStackedLayout>
#include <QVBoxLayout>

#include <thread>

namespace ringside::gui::view_goodput {
namespace {

using namespace Qt::StringLiterals;
using Result = std::variant<document::Document, QString>; ///< or why there is none

Result goodputOf(const Paths& paths, const std::atomic<bool>& stop)
{
    try {
        importers::Progress progress([&stop](const importers::ProgressState&) {
            if (stop) {
                throw Error(ErrorCode::Unusable, "stopped");
            }
        });
        compare::GoodputBuilder builder({});
        for (const std::filesystem::path& run : importers::runsIn(paths)) {
            builder.add(importers::openRun({run}, progress));
        }
        return compare::documentOf(builder.finish(), paths.front().filename().string());
    } catch (const Error& error) {
        return QString(toQt(error.what()) + u" "_s + toQt(error.hint));
    } catch (const std::exception& error) {
        return toQt(error.what());
    }
}

class GoodputView final : public View {
public:
    GoodputView(Navigator& navigator, QWidget* parent) : View(parent), m_pages(new QStackedLayout(this))
    {
        m_nothing = new EmptyPage(this);
        m_nothing->setText(
            u"Where the time of a job went"_s,
            u"<p>A job that was restarted consists of several runs. Choose the folder that holds them: then "
            u"this view says how much of the job's time went into steps whose work was kept, and where the "
            u"rest went.</p><p><code>ringside goodput FOLDER</code> says the same.</p>"_s);
        m_nothing->offer(u"Choose the folder of a job…"_s, u"A folder that holds all runs of one job"_s,
                         [this] { choose(); });
        m_scroll = new QScrollArea(this);
        m_scroll->setWidgetResizable(true);
        m_scroll->setFrameShape(QFrame::NoFrame);
        m_scroll->setAccessibleName(u"Goodput of the job"_s);
        m_scroll->setFocusPolicy(Qt::StrongFocus);
        auto* const page = new QWidget(m_scroll);
        auto* const lines = new QVBoxLayout(page);
        m_sentence = new QLabel(page);
        m_sentence->setObjectName(u"goodputSentence"_s);
        m_sentence->setWordWrap(true);
        m_sentence->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
        m_sections = new SectionPage(page);
        lines->addWidget(m_sentence);
        lines->addWidget(m_sections);
        lines->addStretch();
        m_scroll->setWidget(page);
        m_pages->addWidget(m_nothing);
        m_pages->addWidget(m_scroll);
        connect(&navigator, &Navigator::jobRequested, this, [this](const Paths& paths) { compute(paths); });
    }
    ~GoodputView() override { m_stop = true; }

    void setSession(const Session& session) override { m_run = session.paths.front(); }

private:
    void choose()
    {
        const QString path = QFileDialog::getExistingDirectory(this, u"The folder of a job"_s,
                                                               toQt(m_run.parent_path().string()));
        if (!path.isEmpty()) {
            compute({path.toStdString()});
        }
    }

    /// Reads all runs, one after the other, in the background.
    void compute(const Paths& paths)
    {
        m_sentence->setText(u"Reading the runs of %1 …"_s.arg(toQt(paths.front().string()).toHtmlEscaped()));
        m_sections->setSections({});
        m_pages->setCurrentWidget(m_scroll);
        m_stop = true; // an earlier choice is of no interest any more
        m_worker = {};
        m_stop = false;
        m_worker = std::jthread([this, paths, choice = ++m_choice] {
            QMetaObject::invokeMethod(
                this,
                [this, choice, result = goodputOf(paths, m_stop)] {
                    if (choice == m_choice) {
                        show(result);
                    }
                },
                Qt::QueuedConnection);
        });
    }

    using View::show;
    void show(const Result& result)
    {
        const auto* const page = std::get_if<document::Document>(&result);
        if (page == nullptr) {
            m_sentence->setText(std::get<QString>(result).toHtmlEscaped());
            return;
        }
        m_sentence->setText(u"<p style=\"font-size:large\"><b>%1: %2</b></p><p>%3</p>"_s.arg(
            toHtml(page->name), toHtml(page->verdict), toHtml(page->summary)));
        std::vector<const document::Section*> sections;
        for (const document::Section& section : page->sections) {
            sections.push_back(&section);
        }
        m_sections->setSections(sections);
    }

    std::filesystem::path m_run;
    std::atomic<bool> m_stop = false;
    int m_choice = 0; ///< number of the last one
    QStackedLayout* m_pages;
    EmptyPage* m_nothing;
    QScrollArea* m_scroll;
    QLabel* m_sentence;
    SectionPage* m_sections;
    std::jthread m_worker; ///< joined before the widgets go
};

} // namespace

RINGSIDE_VIEW(
    goodput, .title = "Goodput", .help = "Where the time of a job went, over its restarts", .order = 13,
    .place = Place::Bottom, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new GoodputView(navigator, parent);
    });

} // namespace ringside::gui::view_goodput
