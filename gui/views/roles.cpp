// SPDX-License-Identifier: GPL-3.0-or-later
// `ringside roles`: how the programs of one job share the time.
#include "compare/roles.h"

#include "base/text.h"
#include "import/open_run.h"
#include "views/view.h"
#include "widgets/document_page.h"
#include "widgets/empty_page.h"

#include <ringside/error.h>

#include <QStackedLayout>

namespace ringside::gui::view_roles {
namespace {

using namespace Qt::StringLiterals;

/// Reads the recording again: a report interprets all of it as one program.
document::Document rolesOf(const Paths& paths, const std::atomic<bool>& stop)
{
    importers::Progress progress([&stop](const importers::ProgressState&) {
        if (stop) {
            throw Error(ErrorCode::Unusable, "stopped");
        }
    });
    return compare::documentOf(compare::compareRoles(importers::openRun(paths, progress), {}),
                               paths.front().filename().string());
}

class RolesView final : public View {
public:
    explicit RolesView(QWidget* parent) : View(parent), m_pages(new QStackedLayout(this))
    {
        auto* const nothing = new EmptyPage(this);
        nothing->setText(
            u"One program was recorded"_s,
            u"<p>Some jobs are several programs, such as a trainer and what generates its samples. Where a "
            u"recording holds them all, this view shows how they share the time: when the GPUs of one are "
            u"idle "
            u"while another one works.</p><p>Programs are told apart by their scripts. Set "
            u"<code>RINGSIDE_ROLE</code> to a name for each part of a job that runs the same script. "
            u"<code>ringside roles RUN</code> says the same.</p>"_s);
        m_page = new DocumentPage(u"Roles of the job"_s, this);
        m_pages->addWidget(nothing);
        m_pages->addWidget(m_page);
    }

    void setSession(const Session& session) override
    {
        if (m_report != session.report) {
            m_report = session.report;
            m_recording = session.recording;
            m_isShown = false;
            m_pages->setCurrentIndex(session.programs.size() > 1 ? 1 : 0);
            fill();
        }
    }

protected:
    void showEvent(QShowEvent* event) override
    {
        View::showEvent(event);
        fill();
    }

private:
    /// It takes as long as opening the run, so that it is done for somebody who looks.
    void fill()
    {
        if (isVisible() && m_report && m_pages->currentIndex() == 1 && !m_isShown) {
            m_isShown = true;
            m_page->make(
                u"Reading the programs of %1 …"_s.arg(toQt(m_recording.front().string())),
                [paths = m_recording](const std::atomic<bool>& stop) { return rolesOf(paths, stop); });
        }
    }

    std::shared_ptr<const report::Report> m_report;
    Paths m_recording;
    bool m_isShown = false; ///< or being made, of m_report
    QStackedLayout* m_pages;
    DocumentPage* m_page;
};

} // namespace

RINGSIDE_VIEW(
    roles, .title = "Roles", .help = "How the programs of one job share the time", .order = 14,
    .place = Place::Bottom,
    .create = [](Navigator&, QWidget* parent) -> View* { return new RolesView(parent); });

} // namespace ringside::gui::view_roles
