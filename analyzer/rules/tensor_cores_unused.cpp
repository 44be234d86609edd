// SPDX-License-Identifier: Apache-2.0
// Finds float32 matrix products that run on ordinary cores of a GPU with tensor cores. The names of kernels
// show it, because the libraries name them by the instructions they use.
#include "words/tensor_cores_unused.h"

#include "rules/shared/support.h"

#include <array>

namespace ringside::rules::rule_tensor_cores_unused {
namespace {

namespace text = words::tensor_cores_unused;

constexpr Option kOptions[] = {
    {"share", 0.20, "warn if such products take more than this share of compute"},
};

bool containsAny(std::string_view text, std::span<const std::string_view> parts)
{
    return std::any_of(parts.begin(), parts.end(),
                       [text](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

/// Matches kernels of cuBLAS, CUTLASS and cuDNN: "ampere_sgemm_128x64_nn", "cutlass_80_simt_sgemm",
/// "..._ffma_...".
bool isPlainProduct(std::string_view name)
{
    constexpr std::array<std::string_view, 3> kPlain = {"sgemm", "simt", "ffma"};
    constexpr std::array<std::string_view, 7> kTensor = {"tensorop", "tf32", "16816", "1688",
                                                         "hmma",     "gmma", "bf16"};
    return containsAny(name, kPlain) && !containsAny(name, kTensor);
}

/// Matches NVIDIA's data-centre and RTX GPUs since Volta by name; other names are not known. The emulated GPU
/// has "with tensor cores" in its name if its model has them.
bool hasTensorCores(std::string_view device)
{
    constexpr std::array<std::string_view, 16> kNames = {"V100", "T4",    "A100", "A800", "A30",  "A10",
                                                         "A40",  "A16",   "L4",   "L40",  "H100", "H200",
                                                         "H800", "GH200", "B200", "RTX"};
    return containsAny(device, kNames) || device.find("with tensor cores") != std::string_view::npos;
}

struct Products {
    std::int64_t ns = 0;
    model::Interval longest;
};

Products productsOf(const Context& context, const metrics::RankMetrics& metrics)
{
    const model::Rank& rank = context.rankOf(metrics);
    const trace::ProcessTrace& process = context.run.processOf(rank);
    const model::Interval span = analyzedSpan(metrics);
    std::unordered_map<trace::StringId, bool> known;
    Products products;
    for (std::size_t i = 0; i < process.kernels.size(); ++i) {
        const model::Interval kernel{process.kernels.startNs[i], process.kernels.endNs[i]};
        const auto [entry, fresh] = known.try_emplace(process.kernels.name[i], false);
        if (fresh) {
            entry->second = isPlainProduct(process.text(process.kernels.name[i]));
        }
        if (entry->second && kernel.start >= span.start && kernel.start < span.end &&
            rank.owns(process.kernels.device[i])) {
            products.ns = model::addCapped(products.ns, kernel.length());
            products.longest = kernel.length() > products.longest.length() ? kernel : products.longest;
        }
    }
    return products;
}

bool anyTensorCores(const Context& context)
{
    for (const trace::ProcessTrace& process : context.run.trace.processes) {
        for (const trace::DeviceRow& device : process.devices) {
            if (hasTensorCores(device.name)) {
                return true;
            }
        }
    }
    return false;
}

Outcome run(const Context& context)
{
    if (!anyTensorCores(context)) {
        return NotApplicable{text::no_tensor_cores};
    }
    Finding finding;
    double worst = 0;
    for (const metrics::RankMetrics& rank : context.figures.ranks) {
        const Products products = productsOf(context, rank);
        const double share = static_cast<double>(products.ns) /
                             static_cast<double>(std::max<std::int64_t>(1, rank.total.computeNs));
        if (share > context.option("share")) {
            worst = std::max(worst, share);
            finding.ranks.push_back(context.rankOf(rank).rank);
            finding.evidence.push_back(evidence(context.rankOf(rank), products.longest, text::longest));
        }
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    finding.severity = Severity::Warning;
    finding.limit = Limit::Compute;
    finding.cause = false;
    finding.title = say(text::title, {{"share", worst}});
    finding.settings = {"autocast", "allow_tf32"};
    finding.figures = {{"plain_product_share", Unit::Share, worst, context.option("share")}};
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(tensor_cores_unused, .title = text::heading, .needs = {{"device"}}, .options = kOptions,
              .run = run, .needsDevice = true, .help = text::help, .inferenceAdvice = text::inference);

} // namespace ringside::rules::rule_tensor_cores_unused
