// SPDX-License-Identifier: Apache-2.0
// The report as text: the summary, a line a process, then the stacks that differ.
#include "attach/stuck.h"
#include "attach/tables.h"
#include "document/table.h"
#include "words/render.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ringside::attach {
namespace {

std::string processTable(const StuckReport& report)
{
    document::Table table;
    table.header = {"process", "rank", "program", "state", "GPU", "place"};
    for (const ProcessReport& each : report.processes) {
        const JobProcess& process = each.process;
        const std::string place = each.standing.place.empty() ? "not known" : each.standing.place;
        table.rows.push_back({process.pid, process.rank ? document::Cell(*process.rank) : document::Cell(),
                              process.program, stateText(process), gpusOf(report.gpus, process.pid),
                              each.standing.moved ? place + " (moves)" : place});
    }
    return document::plainTable(table, "");
}

std::string nameOf(const JobProcess& process)
{
    return process.rank ? fmt::format("rank {} (process {})", *process.rank, process.pid)
                        : fmt::format("process {}", process.pid);
}

void appendStack(std::string& text, const ProcessReport& process)
{
    constexpr std::size_t kLines = 12;
    text += fmt::format("\nStack of {}, innermost first:\n", nameOf(process.process));
    const auto& stack = process.standing.stack;
    for (std::size_t i = 0; i < std::min(kLines, stack.size()); ++i) {
        text += "  " + stack[i] + "\n";
    }
    if (stack.size() > kLines) {
        text += fmt::format("  and {} more lines\n", stack.size() - kLines);
    }
}

/// First those that stand elsewhere, then one of each other place.
void appendStacks(std::string& text, const StuckReport& report)
{
    std::set<std::string> shown;
    for (const std::size_t index : report.lookFirst) {
        appendStack(text, report.processes[index]);
        shown.insert(report.processes[index].standing.place);
    }
    for (const ProcessReport& process : report.processes) {
        if (!process.standing.stack.empty() && shown.insert(process.standing.place).second) {
            appendStack(text, process);
        }
    }
}

void appendRas(std::string& text, const StuckReport& report)
{
    if (!report.ras) {
        return;
    }
    const bool speaks = report.ras->notAvailable.empty();
    text += fmt::format("\nNCCL's RAS {}\n", speaks ? "says: " + words::render(report.ras->summary, {})
                                                    : "says nothing: " + report.ras->notAvailable);
    for (const std::string& line : report.ras->details) {
        text += "  " + line + "\n";
    }
}

/// Each reason once, with the processes that it concerns.
void appendNotes(std::string& text, const StuckReport& report)
{
    std::set<std::string> notes;
    for (const ProcessReport& process : report.processes) {
        notes.insert(process.standing.notes.begin(), process.standing.notes.end());
    }
    for (const std::string& note : notes) {
        text += "\nnot read: " + note;
    }
    text += notes.empty() ? "" : "\n";
}

} // namespace

std::string formatText(const StuckReport& report)
{
    constexpr std::size_t kWidth = 80;
    std::string text = document::wrap(report.host + ": " + report.summary, kWidth, "") + "\n";
    text += processTable(report);
    text += fmt::format("\nPlaces are those of the main threads in {} samples within {:.1f} s.\n",
                        report.samples, report.secondsWatched);
    appendStacks(text, report);
    appendRas(text, report);
    appendNotes(text, report);
    return text + "\n" + gpuText(report.gpus);
}

} // namespace ringside::attach
