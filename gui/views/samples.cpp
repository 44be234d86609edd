// SPDX-License-Identifier: GPL-3.0-or-later
// Device memory, utilization, clocks, power, CPU and threads over time, rank by rank, beside the step time.
#include "views/view.h"
#include "widgets/empty_page.h"
#include "widgets/sampled_charts.h"

#include <QStackedLayout>

namespace ringside::gui::view_samples {
namespace {

using namespace Qt::StringLiterals;

class SamplesView final : public View {
public:
    explicit SamplesView(QWidget* parent) : View(parent)
    {
        m_charts = new SampledCharts(
            u"Sampled series of devices and processes over run time"_s,
            [](const metrics::SampledMetric& metric) { return !metrics::isOfLink(metric); }, this);
        m_none = new EmptyPage(this);
        m_none->setText(
            u"Not measured"_s,
            u"<p>The run holds no samples of devices, processes or the machine.</p><p><code>ringside "
            u"record</code> "
            u"takes them about ten times a second if tier <i>sampled</i> is active; Summary says on which "
            u"ranks it was active, and why not on the others. Traces of other tools hold none, except what "
            u"PyTorch's allocator held, if its profiler ran with <code>profile_memory=True</code>.</p>"_s);
        m_pages = new QStackedLayout(this);
        m_pages->addWidget(m_charts);
        m_pages->addWidget(m_none);
        setFocusProxy(m_charts);
    }

    void setSession(const Session& session) override
    {
        if (m_report != session.report) {
            m_report = session.report;
            m_charts->setReport(m_report);
            m_pages->setCurrentWidget(m_charts->isMeasured() ? static_cast<QWidget*>(m_charts) : m_none);
        }
    }

private:
    std::shared_ptr<const report::Report> m_report;
    SampledCharts* m_charts;
    EmptyPage* m_none;
    QStackedLayout* m_pages;
};

} // namespace

RINGSIDE_VIEW(
    samples, .title = "Samples", .help = "Memory, utilization, clocks, power, CPU and threads over time",
    .order = 10, .place = Place::Right,
    .create = [](Navigator&, QWidget* parent) -> View* { return new SamplesView(parent); });

} // namespace ringside::gui::view_samples
