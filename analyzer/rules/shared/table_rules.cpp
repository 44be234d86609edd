// SPDX-License-Identifier: Apache-2.0
// Rules that only say which rows of the table of conditions, or which remarks on variables, are theirs.
#include "rules/shared/conditions.h"
#include "rules/shared/settings.h"
#include "settings/variables.h"
#include "settings/versions.h"
#include "words/blocking_wait.h"
#include "words/ecc_errors.h"
#include "words/gpu_clock_spread.h"
#include "words/gpu_temperature_high.h"
#include "words/link_margin.h"
#include "words/memlock_low.h"
#include "words/nccl_debug_in_production.h"
#include "words/nccl_variable_dangerous.h"
#include "words/nccl_variable_deprecated.h"
#include "words/nccl_variable_range.h"
#include "words/nccl_variable_unknown.h"
#include "words/nccl_variable_value.h"
#include "words/nvlink_errors.h"
#include "words/nvlink_fabric.h"
#include "words/pcie_errors.h"
#include "words/persistence_mode.h"
#include "words/row_remap.h"
#include "words/shm_small.h"
#include "words/span.h"
#include "words/variable_findings.h"
#include "words/versions_old.h"

#include <algorithm>

namespace ringside::rules {
namespace {

settings::Variables environmentOf(const trace::ProcessTrace& process)
{
    settings::Variables variables;
    for (const trace::SettingRow& row : process.settings) {
        if (row.source == "environment" || row.source == "nccl.conf") {
            variables.emplace(row.name, row.value);
        }
    }
    return variables;
}

/// Returns the number that ncclGetVersion returns (22809) of "2.28.9".
std::optional<std::int64_t> versionNumber(std::string_view text)
{
    constexpr std::int64_t kMost = 99;
    const auto version = settings::versionIn(text);
    if (!version || std::ranges::max(*version) > kMost) {
        return std::nullopt;
    }
    const auto [major, minor, patch] = *version;
    return major * (major > 2 || minor > 8 ? 10000 : 1000) + minor * 100 + patch;
}

settings::LoadedLibrary libraryOf(const trace::ProcessTrace& process)
{
    settings::LoadedLibrary library;
    library.ncclVersion = versionNumber(settingOf(process, {"library", "nccl"}).value_or(""));
    std::string_view names = settingOf(process, {"library", "nccl_unknown_variables"}).value_or("");
    while (!names.empty()) {
        const std::string_view name = names.substr(0, names.find(','));
        names.remove_prefix(std::min(names.size(), name.size() + 1));
        library.unknown.emplace(name);
    }
    return library;
}

/// Returns true if the process recorded what a rule about this kind of trouble reads.
bool recorded(const trace::ProcessTrace& process, const settings::Variables& variables,
              settings::Trouble trouble)
{
    return trouble == settings::Trouble::Unknown
               ? settingOf(process, {"library", "nccl_unknown_variables"}).has_value()
               : !variables.empty();
}

Finding findingOf(const settings::Remark& remark)
{
    Finding finding;
    finding.severity = remark.severity;
    finding.limit = Limit::Settings;
    finding.cause = false;
    finding.title = remark.what;
    finding.settings = {remark.variable};
    finding.advice = remark.advice;
    return finding;
}

/// Returns the findings of one kind of trouble. Not applicable if no rank's environment was recorded.
Outcome variableFindings(const Context& context, settings::Trouble trouble)
{
    std::vector<Finding> findings;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const trace::ProcessTrace& process = context.run.processOf(rank);
        const settings::Variables variables = environmentOf(process);
        if (!recorded(process, variables, trouble)) {
            continue;
        }
        known = true;
        for (const settings::Remark& remark : settings::checkVariables(variables, libraryOf(process))) {
            if (remark.trouble != trouble) {
                continue;
            }
            auto same = std::ranges::find(findings, remark.what, &Finding::title);
            if (same == findings.end()) {
                findings.push_back(findingOf(remark));
                same = std::prev(findings.end());
            }
            same->ranks.push_back(rank.rank);
            const trace::ProcessRow& row = process.process;
            same->evidence.push_back(evidence(rank, {row.startNs, row.endNs.value_or(row.startNs)},
                                              words::variable_findings::environment));
        }
    }
    if (!known) {
        return NotApplicable{trouble == settings::Trouble::Unknown
                                 ? words::variable_findings::unknown_names
                                 : words::variable_findings::no_environment};
    }
    return findings;
}

constexpr Needs kNvml{{"sampled"}, " (nvml)"};
constexpr Needs kHost{{"host"}};
constexpr Needs kClocks{{"device", "sampled"}, " (nvml)"};
constexpr Needs kFiles{{}, "files (links --from)"};

enum class Of : std::uint8_t { Devices, Links, Ranks };

/// A rule of rows: its name, whether it counts for the health of links or compares ranks, what it needs, and
/// its Form.
#define RINGSIDE_ROWS(name, of, needed, ...)                                                                 \
    {                                                                                                        \
        .id = #name, .title = words::name::heading, .needs = needed,                                         \
        .options = conditions::optionsOf(#name),                                                             \
        .run = [](const Context& context) { return rowFindings(context, {.rule = #name, __VA_ARGS__}); },    \
        .help = words::name::help, .checksLinks = (of) == Of::Links, .comparesRanks = (of) == Of::Ranks      \
    }
/// A rule of remarks on variables.
#define RINGSIDE_REMARKS(name, trouble)                                                                      \
    {                                                                                                        \
        .id = #name, .title = words::name::heading, .needs = kHost, .options = {},                           \
        .run = [](const Context& context) { return variableFindings(context, settings::Trouble::trouble); }, \
        .help = words::name::help                                                                            \
    }

// clang-format off
const Rule kTableRules[] = {
    RINGSIDE_ROWS(ecc_errors, Of::Devices, kNvml, .title = &words::ecc_errors::title, .limit = Limit::Memory, .per = Per::Rule),
    RINGSIDE_ROWS(gpu_temperature_high, Of::Devices, kNvml, .limit = Limit::Compute, .per = Per::Rule, .cause = false),
    RINGSIDE_ROWS(row_remap, Of::Devices, kNvml, .title = &words::row_remap::title, .limit = Limit::Memory, .span = words::span::sampled, .missing = {words::row_remap::not_measured}),
    RINGSIDE_ROWS(persistence_mode, Of::Devices, kNvml, .title = &words::persistence_mode::title, .limit = Limit::Settings, .per = Per::Rule, .span = words::span::queried, .settings = {"persistence_mode"}, .missing = {words::persistence_mode::not_measured}),
    RINGSIDE_ROWS(gpu_clock_spread, Of::Ranks, kClocks, .title = &words::gpu_clock_spread::title, .limit = Limit::Compute, .per = Per::Rule, .cause = false, .span = {}, .missing = {words::gpu_clock_spread::needs_clocks}),
    RINGSIDE_ROWS(nvlink_errors, Of::Links, kNvml, .limit = Limit::Link, .per = Per::Row, .span = {}, .missing = {words::nvlink_errors::not_measured}),
    RINGSIDE_ROWS(nvlink_fabric, Of::Links, kNvml, .title = &words::nvlink_fabric::title, .limit = Limit::Link, .span = words::span::queried, .missing = {words::nvlink_fabric::not_measured}),
    RINGSIDE_ROWS(pcie_errors, Of::Links, kNvml, .title = &words::pcie_errors::title, .limit = Limit::Link, .per = Per::Rule, .span = words::span::sampled),
    RINGSIDE_ROWS(link_margin, Of::Links, kFiles, .title = &words::link_margin::title, .missing = {words::link_margin::needs_files}),
    RINGSIDE_ROWS(memlock_low, Of::Devices, kHost, .limit = Limit::Settings, .per = Per::Rule, .cause = false, .span = words::span::rank_run, .settings = {"memlock"}, .missing = {words::memlock_low::not_measured}),
    RINGSIDE_ROWS(shm_small, Of::Devices, kHost, .limit = Limit::Settings, .per = Per::Rule, .cause = false, .span = words::span::rank_run, .settings = {"--shm-size"}, .missing = {words::shm_small::not_measured}),
    RINGSIDE_ROWS(versions_old, Of::Devices, kHost, .limit = Limit::Settings, .per = Per::Row, .cause = false, .span = words::span::rank_run, .missing = {words::versions_old::not_measured}),
    RINGSIDE_REMARKS(blocking_wait, BlockingWait),
    RINGSIDE_REMARKS(nccl_debug_in_production, Debug),
    RINGSIDE_REMARKS(nccl_variable_dangerous, Dangerous),
    RINGSIDE_REMARKS(nccl_variable_deprecated, Deprecated),
    RINGSIDE_REMARKS(nccl_variable_range, Range),
    RINGSIDE_REMARKS(nccl_variable_unknown, Unknown),
    RINGSIDE_REMARKS(nccl_variable_value, Value),
};
// clang-format on
#undef RINGSIDE_ROWS
#undef RINGSIDE_REMARKS

} // namespace

std::span<const Rule* const> rulesOfFiles(); // made from the names of files

std::span<const Rule* const> all()
{
    static const std::vector<const Rule*> rules = [] {
        const auto files = rulesOfFiles();
        std::vector<const Rule*> both(files.begin(), files.end());
        for (const Rule& rule : kTableRules) {
            both.push_back(&rule);
        }
        std::ranges::sort(both, {}, &Rule::id);
        return both;
    }();
    return rules;
}

} // namespace ringside::rules
