// SPDX-License-Identifier: GPL-3.0-or-later
// What opening and painting a run costs in the desktop program, without a display: read and report, timeline,
// memory, frames while zooming in, panning, scrolling over the ranks and with a collective selected, and what
// each view takes to be filled and painted. Frames are painted into memory, as Qt does on X11. Times are of
// the clock and, behind them, of the CPU: on a machine that does other things the latter count.
//   gui_cost NAME.ringside
#include "base/navigator.h"
#include "import/open_run.h"
#include "report/document.h"
#include "timeline/timeline_widget.h"
#include "views/view.h"

#include <QAbstractScrollArea>
#include <QAction>
#include <QApplication>
#include <QImage>
#include <QScrollBar>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <string>

namespace {

namespace gui = ringside::gui;
using Clock = std::chrono::steady_clock;

constexpr int kFrames = 200;
constexpr QSize kSize(1600, 700);

/// Of the clock, and of all this process's threads or of this one.
class Stopwatch final {
public:
    explicit Stopwatch(clockid_t cpu = CLOCK_PROCESS_CPUTIME_ID) : m_clock(cpu), m_cpuBegin(cpuNow()) {}
    [[nodiscard]] double milliseconds() const
    {
        return std::chrono::duration<double, std::milli>(Clock::now() - m_begin).count();
    }
    [[nodiscard]] double cpuMilliseconds() const { return cpuNow() - m_cpuBegin; }

private:
    [[nodiscard]] double cpuNow() const
    {
        timespec now{};
        clock_gettime(m_clock, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    }
    clockid_t m_clock;
    Clock::time_point m_begin = Clock::now();
    double m_cpuBegin;
};

double peakMegabytes()
{
    std::ifstream status("/proc/self/status");
    for (std::string line; std::getline(status, line);) {
        if (line.starts_with("VmHWM:")) {
            return std::stod(line.substr(6)) / 1024;
        }
    }
    return 0;
}

template <class Move>
void measure(const char* what, QWidget& widget, const Move& move)
{
    QImage image(kSize, QImage::Format_RGB32);
    std::vector<double> times;
    std::vector<double> cpu;
    for (int i = 0; i < kFrames; ++i) {
        move(i);
        const Stopwatch watch(CLOCK_THREAD_CPUTIME_ID);
        widget.render(&image);
        times.push_back(watch.milliseconds());
        cpu.push_back(watch.cpuMilliseconds());
    }
    std::printf("  %-34s median %6.2f ms, worst %6.2f ms (CPU %6.2f, %6.2f)\n", what,
                ringside::model::median(times), *std::ranges::max_element(times),
                ringside::model::median(cpu), *std::ranges::max_element(cpu));
}

void measureFrames(gui::TimelineWidget& widget)
{
    using Step = gui::ZoomHistory::Step;
    const gui::Interval all = widget.visible();
    const std::int64_t middle = all.start + all.length() / 2;
    const auto shown = [&](double share) { return gui::zoomed(all, share, middle, all); };
    QWidget& viewport = *widget.viewport();
    viewport.render(std::make_unique<QImage>(kSize, QImage::Format_RGB32).get());
    measure("everything", viewport, [](int) {});
    measure("zooming in to a millionth", viewport, [&](int frame) {
        widget.showTime(shown(std::pow(1e-6, static_cast<double>(frame) / kFrames)), Step::Same);
    });
    for (const double share : {0.5, 0.05, 0.001}) {
        const gui::Interval from = gui::panned(shown(share), -all.length(), all);
        const std::int64_t room = all.length() - from.length();
        measure(
            (std::string("panning, ") + std::to_string(share) + " of the run").c_str(), viewport,
            [&](int frame) { widget.showTime(gui::panned(from, room / kFrames * frame, all), Step::Same); });
    }
}

void scroll(QAbstractScrollArea& area, int frame)
{
    area.verticalScrollBar()->setValue(area.verticalScrollBar()->maximum() / kFrames * frame);
}

void measureRanks(gui::TimelineWidget& widget, const gui::Session& session)
{
    QWidget& viewport = *widget.viewport();
    widget.showTime(session.timeline->extent);
    measure("scrolling over the ranks", viewport, [&](int frame) { scroll(widget, frame); });
    const std::size_t collectives = session.timeline->collectives.size();
    if (collectives > 0) {
        measure("selecting collectives", viewport, [&](int frame) {
            widget.showCollective(collectives / kFrames * static_cast<std::size_t>(frame));
        });
        measure("scrolling with one selected", viewport, [&](int frame) { scroll(widget, frame); });
        widget.select(std::nullopt);
    }
}

void press(gui::TimelineWidget& widget, Qt::Key wanted, const char* what)
{
    const Stopwatch watch;
    for (QAction* const key : widget.keys()) {
        if (key->shortcut() == QKeySequence(wanted)) {
            key->trigger();
        }
    }
    std::printf(" %s (%.1f ms, CPU %.1f):\n", what, watch.milliseconds(), watch.cpuMilliseconds());
}

/// Of all views; the statistics are added up in the background and not waited for.
void measureViews(const gui::Session& session)
{
    std::puts(" views: filled, then painted while their longest list scrolls:");
    gui::Navigator navigator;
    for (const gui::ViewEntry* const entry : gui::allViews()) {
        const std::unique_ptr<gui::View> view(entry->create(navigator, nullptr));
        view->resize(kSize);
        view->setAttribute(Qt::WA_DontShowOnScreen);
        view->show();
        const Stopwatch filling;
        view->setSession(session);
        std::printf("  %-12s filled in %7.1f ms (CPU %7.1f)\n", entry->title, filling.milliseconds(),
                    filling.cpuMilliseconds());
        QAbstractScrollArea* longest = nullptr;
        for (QAbstractScrollArea* const area : view->findChildren<QAbstractScrollArea*>()) {
            const auto length = [](const QAbstractScrollArea* of) {
                return of->verticalScrollBar()->maximum();
            };
            longest = longest == nullptr || length(area) > length(longest) ? area : longest;
        }
        measure("  painted", *view, [&](int frame) {
            if (longest != nullptr) {
                scroll(*longest, frame);
            }
        });
    }
}

gui::Session open(const char* path)
{
    gui::Session session;
    session.paths = {path};
    const Stopwatch all;
    ringside::importers::Progress nobody;
    ringside::trace::RunTrace run = ringside::importers::openRun({path}, nobody);
    std::printf(" read after        %7.0f ms (CPU %7.0f)\n", all.milliseconds(), all.cpuMilliseconds());
    session.report =
        std::make_shared<const ringside::report::Report>(ringside::report::buildReport(std::move(run), {}));
    session.document =
        std::make_shared<const ringside::document::Document>(ringside::report::documentOf(*session.report));
    std::printf(" report there after %6.0f ms (CPU %7.0f)\n", all.milliseconds(), all.cpuMilliseconds());
    session.timeline = std::make_shared<const ringside::timeline::Timeline>(
        ringside::timeline::buildTimeline(session.report->model));
    std::printf(" timeline after    %7.0f ms (CPU %7.0f)\n", all.milliseconds(), all.cpuMilliseconds());
    const double spans = std::max(1.0, static_cast<double>(session.timeline->spans()));
    const auto bytes = static_cast<double>(session.timeline->memoryBytes());
    std::printf(" %.0f spans; timeline %.0f MB (%.1f bytes a span), peak of the process %.0f MB\n", spans,
                bytes / 1e6, bytes / spans, peakMegabytes());
    return session;
}

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    if (argc != 2) {
        std::fputs("usage: gui_cost NAME.ringside\n", stderr);
        return 2;
    }
    const gui::Session session = open(argv[1]);
    gui::TimelineWidget widget;
    widget.resize(kSize);
    widget.setSession(session);
    std::printf(" %zu ranks; GPU streams only, or one strip for each of many ranks:\n",
                session.report->model.ranks.size());
    measureFrames(widget);
    measureRanks(widget, session);
    press(widget, Qt::Key_H, "with host threads and launches");
    widget.showTime(session.timeline->extent);
    measureFrames(widget);
    std::puts(" the same, coloured by family:");
    widget.setByFamily(true);
    widget.showTime(session.timeline->extent);
    measureFrames(widget);
    press(widget, Qt::Key_C, "strips in the place of tracks, or tracks in that of strips");
    measureFrames(widget);
    measureRanks(widget, session);
    measureViews(session);
    return 0;
}
