// SPDX-License-Identifier: Apache-2.0
// How roles share the time, as people read it, and as JSON.
#include "compare/roles.h"
#include "output/json_value.h"
#include "rules/shared/support.h"
#include "trace/shell_word.h"

#include <fmt/format.h>

#include <algorithm>

namespace ringside::compare {
namespace {

using document::Cell;
using document::durationCell;
using document::Shade;
using document::Table;

// Of the window. Two programs that have nothing to do with each other are idle by chance for some of it, too.
constexpr double kLongWait = 0.25;
constexpr double kTurns = 0.5; ///< of both waits together: then they seldom work at the same time

std::string durationText(std::int64_t ns)
{
    return document::cellText(durationCell(ns));
}

double shareOf(const Roles& roles, std::int64_t ns)
{
    return static_cast<double>(ns) / static_cast<double>(roles.window->length());
}

/// Why the times of roles cannot be compared.
std::string_view whyNot(const Roles& roles)
{
    return std::ranges::any_of(roles.roles, [](const Role& role) { return role.busy.empty(); })
               ? "the GPU work of a role was not recorded, or when it was is not known"
               : "the GPU work of all roles was never recorded at the same time";
}

Table roleTable(const Roles& roles)
{
    Table table{{"role", "ranks", "processes", "steps", "median step", "program"}, {}};
    for (const Role& role : roles.roles) {
        table.rows.push_back(
            {role.name, role.ranks.size(), role.files.size(), role.steps,
             role.medianStepNs ? durationCell(*role.medianStepNs) : Cell::absent("no steps were found"),
             role.program});
    }
    return table;
}

Table timeTable(const Roles& roles)
{
    Table table{
        {"role", "its GPUs\nwork", "short\ngaps", "idle, and no\nother worked", "idle while another\nworked"},
        {}};
    for (const Role& role : roles.roles) {
        table.rows.push_back({role.name, document::shareCell(shareOf(roles, role.busyNs)),
                              document::shareCell(shareOf(roles, role.shortGapsNs)),
                              document::shareCell(shareOf(roles, role.nobodyNs)),
                              document::shareCell(shareOf(roles, role.waitNs()))});
    }
    return table;
}

Table waitTable(const Roles& roles)
{
    Table table{{"idle role", "while worked", "time", "share", "times", "longest"}, {}};
    for (const Role& role : roles.roles) {
        for (const RoleWait& wait : role.waits) {
            table.rows.push_back({role.name, roles.roles[wait.other].name, durationCell(wait.ns),
                                  document::shareCell(shareOf(roles, wait.ns)), wait.times,
                                  durationCell(wait.longest.length())});
        }
    }
    return table;
}

/// How to look at one role by itself.
document::Items commandsOf(const Roles& roles)
{
    document::Items commands;
    for (const Role& role : roles.roles) {
        commands.texts.push_back(
            fmt::format("{}: ringside report {}", role.name, trace::shellWords(role.files)));
    }
    return commands;
}

document::BarChart chartOf(const Roles& roles)
{
    document::BarChart chart;
    chart.title = "Time of each role";
    chart.row = "role";
    chart.parts = {{"its GPUs work", Shade::Compute},
                   {"short gaps", Shade::Copy},
                   {"idle while another role worked", Shade::Wait},
                   {"idle, and no other role worked", Shade::Idle}};
    for (std::size_t i = 0; i < roles.roles.size(); ++i) {
        const Role& role = roles.roles[i];
        document::BarChart::Bar& bar = chart.bars.emplace_back();
        bar.rank = static_cast<std::int64_t>(i) + 1;
        for (const std::int64_t ns : {role.busyNs, role.shortGapsNs, role.waitNs(), role.nobodyNs}) {
            bar.ns.push_back(static_cast<double>(ns));
        }
        bar.length = durationText(roles.window->length());
    }
    return chart;
}

/// The role that is idle longest while another one works. Null if none is for long.
const Role* longestWaiter(const Roles& roles)
{
    const auto waiter = std::ranges::max_element(roles.roles, {}, &Role::waitNs);
    return roles.window && waiter != roles.roles.end() && shareOf(roles, waiter->waitNs()) >= kLongWait
               ? &*waiter
               : nullptr;
}

std::string summaryOf(const Roles& roles)
{
    if (roles.roles.size() < 2) {
        return "One program was recorded. Set RINGSIDE_ROLE to a name for each part of a job that runs the "
               "same "
               "program.";
    }
    if (!roles.window) {
        return fmt::format("How they share the time is not measured: {}.", whyNot(roles));
    }
    const Role* const waiter = longestWaiter(roles);
    std::string text =
        fmt::format("In {} the GPUs of all roles were recorded. ", durationText(roles.window->length()));
    if (waiter == nullptr) {
        return text + "No role is idle for long while another one works.";
    }
    const RoleWait& most = waiter->waits.front();
    const Role& other = roles.roles[most.other];
    text += fmt::format("{} is idle for {} of them while {} works", waiter->name,
                        rules::percent(shareOf(roles, most.ns)), other.name);
    const auto back = std::ranges::find(other.waits, static_cast<std::size_t>(waiter - roles.roles.data()),
                                        &RoleWait::other);
    if (back != other.waits.end() && shareOf(roles, back->ns + most.ns) >= kTurns) {
        return text +
               fmt::format(", and {} for {} while {} does: they take turns. Let one go on with older data or "
                           "weights while the other works, or give both the same GPUs.",
                           other.name, rules::percent(shareOf(roles, back->ns)), waiter->name);
    }
    return text + fmt::format(". Give {} more GPUs, or {} fewer, or let {} go on without it.", other.name,
                              waiter->name, waiter->name);
}

} // namespace

document::Document documentOf(const Roles& roles, const std::string& name)
{
    using document::SectionId;
    document::Document page;
    page.name = name;
    page.emulated = std::ranges::any_of(roles.roles, &Role::emulated);
    page.verdict = fmt::format("{} role{}", roles.roles.size(), roles.roles.size() == 1 ? "" : "s");
    page.summary = summaryOf(roles);
    page.sections = {{SectionId::Roles, "Roles", {roleTable(roles)}}};
    if (roles.roles.size() > 1) {
        page.sections.push_back({SectionId::Roles, "What limits each role", {commandsOf(roles)}});
    }
    if (roles.roles.size() > 1 && roles.window) {
        page.sections.push_back(
            {SectionId::Roles, "What the time of each role went into", {timeTable(roles), chartOf(roles)}});
        page.sections.push_back(
            {SectionId::Roles,
             "Idle while another role worked",
             {waitTable(roles),
              document::Paragraph{fmt::format(
                  "Idle: no GPU of the role works for {} or more. Whether it waits for the other one is not "
                  "recorded. Kernels of NCCL that wait count as work.{}",
                  durationText(kWaitNs),
                  roles.severalHosts ? " Times of several hosts are compared by their wall clocks." : "")}}});
    }
    return page;
}

std::string jsonOf(const Roles& roles)
{
    const bool measured = roles.window && roles.roles.size() > 1;
    Json list = Json::array();
    for (const Role& role : roles.roles) {
        Json files = Json::array();
        for (const std::filesystem::path& file : role.files) {
            files.push_back(file.filename().string());
        }
        Json waits = Json::array();
        for (const RoleWait& wait : role.waits) {
            waits.push_back({{"for", roles.roles[wait.other].name},
                             {"ns", wait.ns},
                             {"times", wait.times},
                             {"longest_ns", wait.longest.length()},
                             {"longest_at_epoch_s", static_cast<double>(wait.longest.start) / 1e9}});
        }
        const auto time = [&](std::int64_t ns) { return measured ? Json(ns) : Json(nullptr); };
        list.push_back({{"name", role.name},
                        {"program", role.program},
                        {"files", files},
                        {"ranks", role.ranks},
                        {"steps", role.steps},
                        {"median_step_ns", orNull(role.medianStepNs)},
                        {"emulated", role.emulated},
                        {"busy_ns", time(role.busyNs)},
                        {"short_gaps_ns", time(role.shortGapsNs)},
                        {"nobody_ns", time(role.nobodyNs)},
                        {"waits", measured ? waits : Json(nullptr)}});
    }
    const Json json = {{"schema", "ringside-roles/1"},
                       {"window_ns", measured ? Json(roles.window->length()) : Json(nullptr)},
                       {"several_hosts", roles.severalHosts},
                       {"roles", list}};
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace ringside::compare
