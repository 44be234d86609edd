// SPDX-License-Identifier: GPL-3.0-or-later
// What opening and painting a run costs in the desktop program, without a display: read and report, timeline,
// memory, and frames while zooming in and panning. Frames are painted into memory, as Qt does on X11.
//   gui_cost NAME.ringside
#include "import/open_run.h"
#include "timeline/timeline_widget.h"

#include <QAction>
#include <QApplication>
#include <QImage>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <string>

namespace {

namespace gui = ringside::gui;
using Clock = std::chrono::steady_clock;

constexpr int kFrames = 200;
constexpr QSize kSize(1600, 700);

double millisecondsSince(Clock::time_point begin)
{
    return std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
}

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
    for (int i = 0; i < kFrames; ++i) {
        move(i);
        const auto begin = Clock::now();
        widget.viewport()->render(&image);
        times.push_back(millisecondsSince(begin));
    }
    const double worst = *std::ranges::max_element(times);
    std::printf("  %-34s median %6.2f ms, worst %6.2f ms\n", what, ringside::model::median(times), worst);
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

} // namespace

int main(int argc, char** argv)
{
    qputenv("QT_QPA_PLATFORM", "offscreen");
    const QApplication application(argc, argv);
    if (argc != 2) {
        std::fputs("usage: gui_cost NAME.ringside\n", stderr);
        return 2;
    }
    const auto begin = Clock::now();
    ringside::importers::Progress nobody;
    gui::Session session;
    session.report = std::make_shared<const ringside::report::Report>(
        ringside::report::buildReport(ringside::importers::openRun({argv[1]}, nobody), {}));
    const double report = millisecondsSince(begin);
    const auto built = Clock::now();
    session.timeline = std::make_shared<const ringside::timeline::Timeline>(
        ringside::timeline::buildTimeline(session.report->model));
    const double spans = static_cast<double>(session.timeline->spans());
    std::printf("%.0f spans: report there after %.0f ms, timeline %.0f ms later; timeline %.0f MB (%.1f "
                "bytes a span), "
                "peak of the process %.0f MB\n",
                spans, report, millisecondsSince(built),
                static_cast<double>(session.timeline->memoryBytes()) / 1e6,
                static_cast<double>(session.timeline->memoryBytes()) / std::max(1.0, spans), peakMegabytes());
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
    return 0;
}
