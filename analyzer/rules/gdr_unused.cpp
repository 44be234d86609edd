// SPDX-License-Identifier: Apache-2.0
// Finds RDMA traffic without GPUDirect RDMA: the adapters cannot, or may not, reach the memory of the GPUs.
// All data is then copied through host memory, which costs PCIe and memory bandwidth and CPU time.
#include "words/gdr_unused.h"

#include "rules/shared/sockets.h"

namespace ringside::rules::rule_gdr_unused {
namespace {

namespace text = words::gdr_unused;

constexpr Option kOptions[] = {
    {"min_bytes", 1e8,
     "fewest bytes that the RDMA ports of a host sent: less cannot be the gradients of a run"},
};

/// Returns the variable that disables GPUDirect with its value; empty if there is none.
words::Text switchedOff(const trace::ProcessTrace& process)
{
    for (const trace::SettingSource& source :
         std::array<trace::SettingSource, 2>{"environment", "nccl.conf"}) {
        const auto level = foreignSettingOf(process, source, "NCCL_NET_GDR_LEVEL");
        if (level && (*level == "LOC" || *level == "0")) {
            return say(text::level_set, {{"level", *level}});
        }
    }
    return {};
}

std::optional<std::string_view> waysOf(const Context& context, const std::string& host)
{
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        const auto by = settingOf(process, {"machine", "gpu_direct"});
        if (by && process.process.host == host) {
            return by;
        }
    }
    return std::nullopt;
}

struct Reason {
    words::Text what; ///< empty if nothing is wrong
    bool variable = false;
};

Reason reasonOf(const trace::ProcessTrace& process, std::string_view ways)
{
    if (words::Text off = switchedOff(process); !off.empty()) {
        return {std::move(off), true};
    }
    const auto dmaBuf = foreignSettingOf(process, "environment", "NCCL_DMABUF_ENABLE");
    if (ways == "dma-buf" && dmaBuf && *dmaBuf == "0") {
        return {text::no_dma_buf, true};
    }
    return {ways == "none" ? text::no_way : words::Text(), false};
}

/// Returns the verdict of NCCL's own log if it was imported: "connections via NET/IB/GDRDMA/Shared". Returns
/// null if the log does not say.
std::optional<Reason> loggedReason(const trace::ProcessTrace& process)
{
    std::int64_t copied = 0;
    bool direct = false;
    for (const trace::SettingRow& row : process.settings) {
        if (row.source == "nccl" && row.name.starts_with("connections via NET/IB")) {
            direct = direct || row.name.find("GDRDMA") != std::string::npos;
            copied = model::addCapped(
                copied, std::max<std::int64_t>(0, values::parseNumber<std::int64_t>(row.value).value_or(0)));
        }
    }
    if (!direct && copied == 0) {
        return std::nullopt;
    }
    return Reason{direct ? words::Text() : say(text::logged, {{"connections", copied}}), false};
}

/// Returns null if it is not known whether GPUDirect was used.
std::optional<Reason> findReason(const Context& context, const trace::ProcessTrace& process)
{
    if (auto logged = loggedReason(process)) {
        return logged;
    }
    const auto ways = waysOf(context, process.process.host);
    const auto bytes = rdmaBytes(context, process.process.host);
    if (!ways || !bytes) {
        return std::nullopt;
    }
    Reason reason = reasonOf(process, *ways);
    if (*bytes < context.option("min_bytes")) {
        reason.what = {};
    }
    return reason;
}

Outcome run(const Context& context)
{
    Finding finding;
    bool known = false;
    for (const model::Rank& rank : context.run.ranks) {
        const trace::ProcessTrace& process = context.run.processOf(rank);
        const auto reason = findReason(context, process);
        known = known || reason;
        if (!reason || reason->what.empty()) {
            continue;
        }
        finding.ranks.push_back(rank.rank);
        finding.evidence.push_back(
            evidence(rank, {process.process.startNs, process.process.endNs.value_or(process.process.startNs)},
                     reason->what));
        if (finding.title.empty()) {
            finding.title = say(text::title, {{"host", process.process.host}, {"reason", reason->what}});
            finding.settings = {reason->variable ? "NCCL_NET_GDR_LEVEL" : "nvidia_peermem"};
            if (const auto bytes = rdmaBytes(context, process.process.host)) {
                finding.figures = {{"rdma_bytes", Unit::Bytes, *bytes, context.option("min_bytes")}};
            }
        }
    }
    if (!known) {
        return NotApplicable{text::needs_rdma};
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = Severity::Warning;
    finding.limit = Limit::Settings;
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(gdr_unused, .title = text::heading, .needs = {{"sampled"}, " (rdma, host_network)"},
              .options = kOptions, .run = run, .help = text::help);

} // namespace ringside::rules::rule_gdr_unused
