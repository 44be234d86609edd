// SPDX-License-Identifier: GPL-3.0-or-later
// `ringside goodput`: where the time of a job went, over the runs that it consists of.
#include "compare/goodput.h"

#include "base/navigator.h"
#include "base/text.h"
#include "import/open_run.h"
#include "views/view.h"
#include "widgets/document_page.h"
#include "widgets/empty_page.h"

#include <ringside/error.h>

#include <QFileDialog>
#include <QStackedLayout>

namespace ringside::gui::view_goodput {
namespace {

using namespace Qt::StringLiterals;

/// Reads all runs, one after the other.
document::Document goodputOf(const Paths& paths, const std::atomic<bool>& stop)
{
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
}

class GoodputView final : public View {
public:
    GoodputView(Navigator& navigator, QWidget* parent) : View(parent), m_pages(new QStackedLayout(this))
    {
        auto* const nothing = new EmptyPage(this);
        nothing->setText(
            u"Where the time of a job went"_s,
            u"<p>A job that was restarted consists of several runs. Choose the folder that holds them: then "
            u"this view says how much of the job's time went into steps whose work was kept, and where the "
            u"rest went.</p><p><code>ringside goodput FOLDER</code> says the same.</p>"_s);
        nothing->offer(u"Choose the folder of a job…"_s, u"A folder that holds all runs of one job"_s,
                       [this] { choose(); });
        m_page = new DocumentPage(u"Goodput of the job"_s, this);
        m_pages->addWidget(nothing);
        m_pages->addWidget(m_page);
        connect(&navigator, &Navigator::jobRequested, this, [this](const Paths& paths) { compute(paths); });
    }

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

    void compute(const Paths& paths)
    {
        m_pages->setCurrentWidget(m_page);
        m_page->make(u"Reading the runs of %1 …"_s.arg(toQt(paths.front().string())),
                     [paths](const std::atomic<bool>& stop) { return goodputOf(paths, stop); });
    }

    std::filesystem::path m_run;
    QStackedLayout* m_pages;
    DocumentPage* m_page;
};

} // namespace

RINGSIDE_VIEW(
    goodput, .title = "Goodput", .help = "Where the time of a job went, over its restarts", .order = 13,
    .place = Place::Bottom, .create = [](Navigator& navigator, QWidget* parent) -> View* {
        return new GoodputView(navigator, parent);
    });

} // namespace ringside::gui::view_goodput
