// SPDX-License-Identifier: Apache-2.0
// Rules that only say which rows of the table of conditions, or which remarks on variables, are theirs.
#include "rules/shared/conditions.h"
#include "rules/shared/variable_findings.h"
#include "words/blocking_wait.h"
#include "words/ecc_errors.h"
#include "words/gpu_temperature_high.h"
#include "words/memlock_low.h"
#include "words/nccl_debug_in_production.h"
#include "words/nccl_variable_dangerous.h"
#include "words/nccl_variable_deprecated.h"
#include "words/nccl_variable_range.h"
#include "words/nccl_variable_unknown.h"
#include "words/nccl_variable_value.h"
#include "words/nvlink_fabric.h"
#include "words/pcie_errors.h"
#include "words/persistence_mode.h"
#include "words/row_remap.h"
#include "words/shm_small.h"
#include "words/span.h"

#include <algorithm>

namespace ringside::rules {
namespace {

constexpr Needs kNvml{{"sampled"}, " (nvml)"};
constexpr Needs kHost{{"host"}};

/// A rule of rows: its name, whether it counts for the health of links, what it needs, and its Form.
#define RINGSIDE_ROWS(name, ofLinks, needed, ...)                                                            \
    {                                                                                                        \
        .id = #name, .title = words::name::heading, .needs = needed,                                         \
        .options = conditions::optionsOf(#name),                                                             \
        .run = [](const Context& context) { return rowFindings(context, {.rule = #name, __VA_ARGS__}); },    \
        .help = words::name::help, .checksLinks = ofLinks                                                    \
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
    RINGSIDE_ROWS(ecc_errors, false, kNvml, .title = &words::ecc_errors::title, .limit = Limit::Memory, .together = true),
    RINGSIDE_ROWS(gpu_temperature_high, false, kNvml, .limit = Limit::Compute, .together = true, .cause = false),
    RINGSIDE_ROWS(row_remap, false, kNvml, .title = &words::row_remap::title, .limit = Limit::Memory, .span = words::span::sampled, .missing = {words::row_remap::not_measured}),
    RINGSIDE_ROWS(persistence_mode, false, kNvml, .title = &words::persistence_mode::title, .limit = Limit::Settings, .together = true, .span = words::span::queried, .settings = {"persistence_mode"}, .missing = {words::persistence_mode::not_measured}),
    RINGSIDE_ROWS(nvlink_fabric, true, kNvml, .title = &words::nvlink_fabric::title, .limit = Limit::Link, .span = words::span::queried, .missing = {words::nvlink_fabric::not_measured}),
    RINGSIDE_ROWS(pcie_errors, true, kNvml, .title = &words::pcie_errors::title, .limit = Limit::Link, .together = true, .span = words::span::sampled),
    RINGSIDE_ROWS(memlock_low, false, kHost, .limit = Limit::Settings, .together = true, .cause = false, .span = words::span::rank_run, .settings = {"memlock"}, .missing = {words::memlock_low::not_measured}),
    RINGSIDE_ROWS(shm_small, false, kHost, .limit = Limit::Settings, .together = true, .cause = false, .span = words::span::rank_run, .settings = {"--shm-size"}, .missing = {words::shm_small::not_measured}),
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
