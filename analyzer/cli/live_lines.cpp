// SPDX-License-Identifier: Apache-2.0
#include "cli/command.h"
#include "cli/live_screen.h"
#include "cli/standard_streams.h"
#include "live/show.h"
#include "live/snapshot.h"
#include "values/number_runs.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <ctime>
#include <set>
#include <string>
#include <thread>

namespace ringside::cli {
namespace {

constexpr std::int64_t kRepeatMs = 30'000;

std::string clockOf(std::int64_t ms)
{
    const std::time_t seconds = ms / 1000;
    std::tm local{};
    localtime_r(&seconds, &local);
    return fmt::format("{:02}:{:02}:{:02}", local.tm_hour, local.tm_min, local.tm_sec);
}

/// What is worth a line, without figures that change with every look.
std::set<std::string> newsOf(const live::JobView& view)
{
    std::set<std::string> news;
    for (const live::Alarm& alarm : view.alarms) {
        news.insert("alarm: " + alarm.message);
    }
    for (const live::Wait& wait : view.waits) {
        news.insert(fmt::format("{} wait{} for {}", values::rankList(wait.waiting),
                                wait.waiting.size() == 1 ? "s" : "", values::rankList(wait.missing)));
    }
    for (const live::Complaint& each : view.complaints) {
        news.insert(fmt::format("{} {} is not well", each.host, each.entity));
    }
    for (const live::RankView& rank : view.ranks) {
        if (rank.state != live::RankState::Running) {
            news.insert(
                fmt::format("rank {} on {} is {}", rank.rank, rank.host, live::stateName(rank.state)));
        }
    }
    return news;
}

std::string statusLine(const live::JobView& view)
{
    std::string line = view.verdict;
    if (view.step && view.stepsPerSecond) {
        line += fmt::format(" Step {}, {:.3g} steps a second.", *view.step, *view.stepsPerSecond);
    }
    return line;
}

} // namespace

int watchAsLines(const std::filesystem::path& run)
{
    std::set<std::string> told;
    std::int64_t toldMs = 0;
    for (;;) {
        const live::RunNow now = live::readRun(run);
        if (now.hosts.empty()) {
            printResult(clockOf(now.readMs) + " The run is over.\n");
            return kPass;
        }
        const live::JobView view = live::viewOf(now);
        const std::set<std::string> news = newsOf(view);
        std::string lines;
        for (const std::string& each : news) {
            lines += told.contains(each) ? "" : clockOf(now.readMs) + " " + each + "\n";
        }
        for (const std::string& each : told) {
            lines += news.contains(each) ? "" : clockOf(now.readMs) + " no more: " + each + "\n";
        }
        if (now.readMs - toldMs >= kRepeatMs) {
            toldMs = now.readMs;
            lines += clockOf(now.readMs) + " " + statusLine(view) + "\n";
        }
        told = news;
        if (!lines.empty()) {
            printResult(lines);
            flushResult();
        }
        std::this_thread::sleep_for(std::chrono::seconds(1));
    }
}

} // namespace ringside::cli
