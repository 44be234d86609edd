// SPDX-License-Identifier: Apache-2.0
#include "rules/shared/conditions.h"

#include "rules/shared/ports.h"
#include "rules/shared/settings.h"
#include "settings/versions.h"

namespace ringside::rules {
namespace {

using conditions::Condition;
using conditions::Judged;
using conditions::Subject;

struct Sick {
    const Subject* gpu = nullptr;
    std::vector<Judged> rows; ///< that hold
};

/// Whether small values are the bad ones.
bool isLowBad(const Condition& row)
{
    const conditions::Compare compare = row.rungs.front().compare;
    return compare == conditions::Compare::Below || compare == conditions::Compare::AtMost;
}

/// Of several rows, the one that comes first in the table counts most; of one row, the worst value.
bool countsMore(const Judged& one, const Judged& other)
{
    return one.condition != other.condition ? one.condition < other.condition
                                            : (one.value > other.value) != isLowBad(*one.condition);
}

const Sick& sickest(const std::vector<Sick>& sick)
{
    return *std::ranges::min_element(sick, countsMore, [](const Sick& each) { return each.rows.front(); });
}

/// Returns the values of a row on the sick GPUs as one: the sum of what breaks or is counted, else the worst.
std::optional<conditions::Read> figureOf(const Context& context, const std::vector<Sick>& sick,
                                         const Condition& row)
{
    std::optional<conditions::Read> all;
    for (const Sick& each : sick) {
        const auto here = conditions::readingOf(*each.gpu, row, limitsOf(context));
        if (!here || !all) {
            all = here ? here : all;
            continue;
        }
        all->value = row.more.sums   ? all->value + here->value
                     : isLowBad(row) ? std::min(all->value, here->value)
                                     : std::max(all->value, here->value);
    }
    return all;
}

void addFigures(const Context& context, const std::vector<Sick>& sick, const std::span<const Condition>& rows,
                Finding& finding, std::vector<words::Slot>& slots)
{
    for (const Condition& row : rows) {
        const std::string_view name = row.more.figure;
        if (name.empty() ||
            std::ranges::any_of(finding.figures, [&](const Figure& each) { return each.name == name; })) {
            continue;
        }
        const auto read = figureOf(context, sick, row);
        slots.push_back({name, read ? say(words::device_samples::count, {{"count", read->value}})
                                    : words::Text(words::device_samples::not_known)});
        if (read) {
            finding.figures.push_back({std::string(name), row.more.unit, read->value, read->limit});
        }
    }
}

/// The hosts of ranks, as far as their settings tell.
std::vector<Subject> hostsOf(const Context& context)
{
    std::vector<Subject> hosts;
    for (std::size_t i = 0; i < context.run.ranks.size(); ++i) {
        const trace::ProcessTrace& process = context.run.processOf(context.run.ranks[i]);
        Subject& host = hosts.emplace_back();
        host.rank = i;
        for (const trace::SettingRow& row : process.settings) {
            if (row.source == "machine" || row.source == "process") {
                host.facts.emplace(row.name, row.value);
            }
        }
        settings::addVersion("nccl", settingOf(process, {"library", "nccl"}).value_or(""), host.facts);
        settings::addVersion("cuda", settingOf(process, {"library", "cuda runtime"}).value_or(""),
                             host.facts);
    }
    return hosts;
}

/// The time in which the subject was read; of a host, of which nothing was sampled, that of its rank.
model::Interval spanOf(const Context& context, const Subject& subject)
{
    if (!subject.values.empty() || !subject.rank) {
        return subject.sampled();
    }
    const model::Rank& rank = context.run.ranks[*subject.rank];
    const trace::ProcessRow& process = context.run.processOf(rank).process;
    return {rank.clock.toRun(process.startNs), rank.clock.toRun(process.endNs.value_or(process.startNs))};
}

Finding describe(const Context& context, const std::vector<Sick>& sick, std::size_t known, const Form& form,
                 std::span<const Condition> rows)
{
    const Sick& worst = sickest(sick);
    const Judged& most = worst.rows.front();
    Finding finding;
    std::vector<const Subject*> gpus;
    for (const Sick& each : sick) {
        gpus.push_back(each.gpu);
        finding.severity = std::max(finding.severity, worstOf(each.rows));
        for (const Judged& row : each.rows) {
            finding.broken = finding.broken || row.condition->more.breaks;
        }
    }
    const bool once = std::ranges::all_of(gpus, &Subject::isReadOnce);
    std::vector<words::Slot> slots{
        {"period", once ? words::device_samples::since_reset : words::device_samples::in_run},
        {"who", gpusText(context, gpus)},
        {"gpus", gpus.size()},
        {"known", known},
        {"what", listOf(worst.rows, words::ports::more)},
        {"value", most.value},
        {"limit", most.limit}};
    finding.limit = form.limit;
    finding.cause = form.cause;
    finding.settings = form.settings;
    addFigures(context, sick, rows, finding, slots);
    if (form.per == Per::Rule && finding.figures.empty()) {
        finding.figures = {{"gpus", Unit::Count, static_cast<double>(gpus.size()), {}}};
    }
    for (const Sick& each : sick) {
        addPlace(context, *each.gpu, spanOf(context, *each.gpu),
                 form.span.empty() ? each.rows.front().what : form.span, finding);
    }
    const words::Template* const title =
        most.condition->more.title != nullptr ? most.condition->more.title : form.title;
    finding.title = title != nullptr ? say(*title, slots) : most.what;
    finding.advice = conditions::remedyOf(*most.condition);
    return finding;
}

/// Those of which one of the rows holds, without what else does.
std::vector<Sick> sickOf(const std::vector<Sick>& sick, std::span<const Condition> rows)
{
    std::vector<Sick> some;
    for (const Sick& each : sick) {
        Sick here{each.gpu, {}};
        std::ranges::copy_if(each.rows, std::back_inserter(here.rows), [&](const Judged& held) {
            return held.condition >= rows.data() && held.condition < rows.data() + rows.size();
        });
        if (!here.rows.empty()) {
            some.push_back(std::move(here));
        }
    }
    return some;
}

/// Returns the first row, and those after it that have the same title.
std::span<const Condition> firstTitle(std::span<const Condition> rows)
{
    std::size_t count = 1;
    while (count < rows.size() && rows[count].more.title != nullptr &&
           rows[count].more.title == rows.front().more.title) {
        ++count;
    }
    return rows.first(count);
}

/// The findings of a rule about ports, each of all that holds.
Outcome portFindings(const Context& context, const Form& form)
{
    const auto rows = conditions::conditionsOf(form.rule);
    const auto check = [&](const Context&, const Subject& port) -> std::optional<Finding> {
        const auto held = conditions::judge(port, rows, limitsOf(context));
        Finding finding;
        finding.severity = worstOf(held);
        finding.title =
            say(*form.title, {{"port", port.label()}, {"what", listOf(held, words::ports::more)}});
        finding.advice = conditions::remedyOf(form.rule);
        return held.empty() ? std::nullopt : std::optional(std::move(finding));
    };
    const Outcome outcome = checkPorts(
        context, [&](const Subject& port) { return isAnyRead(port, rows); }, check);
    return std::holds_alternative<NotApplicable>(outcome) ? form.missing : outcome;
}

} // namespace

conditions::Limits limitsOf(const Context& context)
{
    return [&context](std::string_view, std::string_view option) { return context.option(option); };
}

void addPlace(const Context& context, const Subject& gpu, const model::Interval& span, words::Text what,
              Finding& finding)
{
    if (!gpu.rank) {
        finding.links.push_back(gpu.label());
        return;
    }
    const std::int64_t rank = context.run.ranks[*gpu.rank].rank;
    if (finding.ranks.empty() || finding.ranks.back() != rank) {
        finding.ranks.push_back(rank);
    }
    finding.evidence.push_back({rank, span.start, span.end, std::move(what)});
}

bool isAnyRead(const Subject& subject, std::span<const Condition> rows)
{
    return std::ranges::any_of(rows, [&](const Condition& row) {
        return conditions::readingOf(subject, row) || !subject.told(row.more.fact).empty();
    });
}

words::Text listOf(const std::vector<Judged>& rows, const words::Template& separator)
{
    words::Text list;
    for (const Judged& row : rows) {
        list += list.empty() ? row.what : separator + row.what;
    }
    return list;
}

Severity worstOf(const std::vector<Judged>& rows)
{
    return rows.empty() ? Severity::Info : std::ranges::max(rows, {}, &Judged::severity).severity;
}

words::Text gpusText(const Context& context, const std::vector<const Subject*>& gpus)
{
    if (gpus.size() > 1) {
        return say(words::device_samples::several, {{"gpus", gpus.size()}});
    }
    const Subject& gpu = *gpus.front();
    return gpu.rank ? say(words::device_samples::of_rank, {{"rank", context.run.ranks[*gpu.rank].rank}})
                    : say(words::device_samples::named, {{"gpu", gpu.name}});
}

Outcome rowFindings(const Context& context, const Form& form)
{
    const auto rows = conditions::conditionsOf(form.rule);
    if (rows.front().scope == conditions::Scope::Port) {
        return portFindings(context, form);
    }
    std::vector<Sick> sick;
    std::size_t known = 0;
    const bool ofHosts = rows.front().scope == conditions::Scope::Host;
    const std::vector<Subject> hosts = ofHosts ? hostsOf(context) : std::vector<Subject>();
    for (const Subject& gpu : ofHosts ? hosts : context.figures.gpus) {
        known += isAnyRead(gpu, rows) ? 1 : 0;
        auto held = conditions::judge(gpu, rows, limitsOf(context));
        if (!held.empty()) {
            sick.push_back({&gpu, std::move(held)});
        }
    }
    if (known == 0) {
        return form.missing;
    }
    std::vector<Finding> findings;
    if (form.per == Per::Row) {
        for (auto rest = rows; !rest.empty();) {
            const auto same = firstTitle(rest);
            rest = rest.subspan(same.size());
            if (const auto some = sickOf(sick, same); !some.empty()) {
                findings.push_back(describe(context, some, known, form, same));
            }
        }
    } else if (form.per == Per::Rule && !sick.empty()) {
        findings.push_back(describe(context, sick, known, form, rows));
    } else {
        for (const Sick& each : sick) {
            findings.push_back(describe(context, {each}, known, form, rows));
        }
    }
    return findings;
}

} // namespace ringside::rules
