// SPDX-License-Identifier: GPL-3.0-or-later
// What opening and painting a run costs in the desktop program, without a display: read and report, timeline,
// memory, and frames while zooming in and panning. Frames are painted into memory, as Qt does on X11. Times
// are of the clock and, behind them, of the CPU: on a machine that does other things the latter count.
//   gui_cost NAME.ringside
#include "import/open_run.h"
#include "timeline/timeline_widget.h"

#include <QAction>
#include <QApplication>
#include <QImage>

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
void measure(const char* what, gui::TimelineWidget& widget, const Move& move)
{
    QImage image(kSize, QImage::Format_RGB32);
    std::vector<double> times;
    std::vector<double> cpu;
    for (int i = 0; i < kFrames; ++i) {
        move(i);
        const Stopwatch watch(CLOCK_THREAD_CPUTIME_ID);
        widget.viewport()->render(&image);
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
    widget.viewport()->render(std::make_unique<QImage>(kSize, QImage::Format_RGB32).get());
    measure("everything", widget, [](int) {});
    measure("zooming in to a millionth", widget, [&](int frame) {
        widget.showTime(shown(std::pow(1e-6, static_cast<double>(frame) / kFrames)), Step::Same);
    });
    for (const double share : {0.5, 0.05, 0.001}) {
        const gui::Interval from = gui::panned(shown(share), -all.length(), all);
        const std::int64_t room = all.length() - from.length();
        measure(
            (std::string("panning, ") + std::to_string(share) + " of the run").c_str(), widget,
            [&](int frame) { widget.showTime(gui::panned(from, room / kFrames * frame, all), Step::Same); });
    }
}

gui::Session open(const char* path)
{
    gui::Session session;
    const Stopwatch all;
    ringside::importers::Progress nobody;
    ringside::trace::RunTrace run = ringside::importers::openRun({path}, nobody);
    std::printf(" read after        %7.0f ms (CPU %7.0f)\n", all.milliseconds(), all.cpuMilliseconds());
    session.report =
        std::make_shared<const ringside::report::Report>(ringside::report::buildReport(std::move(run), {}));
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
    std::puts(" GPU streams only:");
    measureFrames(widget);
    for (QAction* const key : widget.keys()) {
        if (key->shortcut() == QKeySequence(Qt::Key_H)) {
            key->trigger();
        }
    }
    std::puts(" with host threads and launches:");
    widget.showTime(session.timeline->extent);
    measureFrames(widget);
    std::puts(" the same, coloured by family:");
    widget.setByFamily(true);
    widget.showTime(session.timeline->extent);
    measureFrames(widget);
    return 0;
}
