// SPDX-License-Identifier: Apache-2.0
// Finds a GPU that is connected worse than the others of its host: fewer NVLinks, or a longer way to its
// nearest adapter. The matrix of `nvidia-smi topo -m` tells that.
#include "words/gpu_topology.h"

#include "rules/shared/support.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace ringside::rules::rule_gpu_topology {
namespace {

namespace text = words::gpu_topology;

/// How a GPU is connected.
struct Connections {
    std::string gpu;
    std::map<std::string, std::int64_t> links; ///< NVLinks, by the other GPU
    std::optional<std::size_t> nearest;        ///< place in kWays of its best way to an adapter
};

/// From near to far, in the words of nvidia-smi.
constexpr std::array<std::string_view, 5> kWays{"PIX", "PXB", "PHB", "NODE", "SYS"};

/// Reads "GPU1=NV18 NIC0=PIX".
Connections connectionsOf(std::string_view gpu, std::string_view text)
{
    Connections result{std::string(gpu), {}, std::nullopt};
    while (!text.empty()) {
        const std::string_view one = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), one.size() + 1));
        const std::size_t mark = one.find('=');
        const std::string_view way = mark == std::string_view::npos ? "" : one.substr(mark + 1);
        if (one.starts_with("GPU") && way.starts_with("NV")) {
            const auto links = values::parseNumber<std::uint16_t>(way.substr(2));
            result.links[std::string(one.substr(0, mark))] = links.value_or(0);
        } else if (one.starts_with("NIC")) {
            const auto* const found = std::ranges::find(kWays, way);
            const auto place = static_cast<std::size_t>(found - kWays.begin());
            if (found != kWays.end()) {
                result.nearest = std::min(result.nearest.value_or(place), place);
            }
        }
    }
    return result;
}

std::map<std::string, std::vector<Connections>> connectionsByHost(const model::Model& run)
{
    const std::string prefix = trace::Fact("machine", "topology *").name("GPU");
    std::map<std::string, std::vector<Connections>> hosts;
    for (const trace::ProcessTrace& process : run.trace.processes) {
        for (const trace::SettingRow& row : process.settings) {
            if (row.source == "machine" && row.name.starts_with(prefix)) {
                const std::string_view gpu = std::string_view(row.name).substr(prefix.size() - 3);
                hosts[process.process.host].push_back(connectionsOf(gpu, row.value));
            }
        }
    }
    return hosts;
}

/// Returns the value that at least three of four have; null if there is none: then the host is made so.
template <class Value>
std::optional<Value> usualOf(std::vector<Value> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    const auto same = static_cast<std::size_t>(std::ranges::count(values, *middle));
    return same * 4 >= values.size() * 3 && same < values.size() ? std::optional(*middle) : std::nullopt;
}

Finding findingOf(const std::string& host, const std::string& gpu, words::Text title)
{
    Finding finding;
    finding.limit = Limit::Link;
    finding.links = {host + " " + gpu};
    finding.title = std::move(title);
    return finding;
}

/// Compares the NVLinks of all pairs of GPUs.
void judgeLinks(const std::string& host, const std::vector<Connections>& gpus, std::vector<Finding>& findings)
{
    std::vector<std::int64_t> all;
    for (const Connections& gpu : gpus) {
        for (const auto& [other, links] : gpu.links) {
            all.push_back(links);
        }
    }
    const std::int64_t usual = all.empty() ? 0 : usualOf(all).value_or(0);
    for (const Connections& gpu : gpus) {
        for (const auto& [other, links] : gpu.links) {
            if (links >= usual || other < gpu.gpu) {
                continue; // each pair once
            }
            Finding finding = findingOf(host, gpu.gpu,
                                        say(text::links, {{"gpu", gpu.gpu},
                                                          {"host", host},
                                                          {"links", links},
                                                          {"other", other},
                                                          {"usual", usual}}));
            finding.severity = Severity::Problem;
            finding.figures = {
                {"nvlinks", Unit::Count, static_cast<double>(links), static_cast<double>(usual)}};
            finding.advice = text::links_remedy;
            findings.push_back(std::move(finding));
        }
    }
}

/// Compares the ways of all GPUs to their nearest adapters.
void judgeWays(const std::string& host, const std::vector<Connections>& gpus, std::vector<Finding>& findings)
{
    std::vector<std::size_t> ways;
    for (const Connections& gpu : gpus) {
        ways.push_back(gpu.nearest.value_or(kWays.size()));
    }
    const std::optional<std::size_t> usual = usualOf(ways);
    if (!usual || *usual == kWays.size()) {
        return;
    }
    for (const Connections& gpu : gpus) {
        if (gpu.nearest.value_or(kWays.size()) <= *usual) {
            continue;
        }
        Finding finding = findingOf(
            host, gpu.gpu,
            say(text::ways,
                {{"gpu", gpu.gpu},
                 {"host", host},
                 {"way", gpu.nearest ? say(text::way, {{"way", kWays[*gpu.nearest]}}) : text::no_way},
                 {"usual", kWays[*usual]}}));
        finding.severity = Severity::Warning;
        finding.advice = text::ways_remedy;
        findings.push_back(std::move(finding));
    }
}

Outcome run(const Context& context)
{
    const auto hosts = connectionsByHost(context.run);
    if (hosts.empty()) {
        return NotApplicable{text::needs_matrix};
    }
    std::vector<Finding> findings;
    for (const auto& [host, gpus] : hosts) {
        judgeLinks(host, gpus, findings);
        judgeWays(host, gpus, findings);
    }
    return findings;
}

} // namespace

RINGSIDE_RULE(gpu_topology, .title = text::heading, .needs = {{}, "a file (links --from)"}, .options = {},
              .run = run, .help = text::help, .checksLinks = true);

} // namespace ringside::rules::rule_gpu_topology
