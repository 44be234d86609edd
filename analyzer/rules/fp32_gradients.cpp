// SPDX-License-Identifier: Apache-2.0
// Finds gradients that are sent in 32 bits while their transfer is exposed. It is an opportunity, not a
// cause: the transfer is exposed for another reason, and 16 bits can save half of it.
#include "words/fp32_gradients.h"

#include "rules/shared/communication_cause.h"
#include "rules/shared/gradients.h"
#include "trace/vocabulary/datatype.h"
#include "whatif/changes.h"
#include "words/step.h"

namespace ringside::rules::rule_fp32_gradients {
namespace {

namespace text = words::fp32_gradients;

constexpr Option kOptions[] = {
    {"share", 0.05, "report only if the exposed transfer of gradients is above this share of the step"},
    {"float32_part", 0.50, "and at least this share of the gradient bytes is float32"},
};

struct Bytes {
    double all = 0;
    double typed = 0;
    double float32 = 0;
};

Bytes gradientBytes(const Context& context)
{
    Bytes bytes;
    for (const metrics::ArrivedOperation& each : context.figures.arrived) {
        const model::Operation& operation = context.run.operations[each.operation];
        if (model::isGradient(operation, context.run.worldSize)) {
            const auto size = static_cast<double>(*operation.bytes);
            bytes.all += size;
            bytes.typed += operation.datatype ? size : 0.0;
            bytes.float32 += operation.datatype == trace::numberOf(trace::Datatype::Float32) ? size : 0.0;
        }
    }
    return bytes;
}

Outcome run(const Context& context)
{
    const Bytes bytes = gradientBytes(context);
    if (bytes.all <= 0) {
        return context.figures.arrivalsMeasured() ? kNeedsGradients : kNeedsArrivals;
    }
    if (bytes.typed <= 0) {
        return NotApplicable{text::needs_types};
    }
    // Latency does not shrink with the bytes.
    const std::int64_t transfer =
        std::max<std::int64_t>(0, exposedGradientTransfer(context) - latencyPerStep(context));
    const double share = shareOfStep(context, transfer);
    const double part = bytes.float32 / bytes.all;
    if (share <= context.option("share") || part < context.option("float32_part")) {
        return std::vector<Finding>{};
    }
    Finding finding;
    finding.costNsPerStep = std::llround(part * static_cast<double>(transfer) / 2);
    finding.severity = std::min(Severity::Warning, severityByCost(context, *finding.costNsPerStep));
    finding.limit = Limit::Communication;
    finding.cause = false;
    finding.title = say(text::title, {{"transfer", transfer}});
    finding.settings = {"fp16_compress_hook", "bf16_compress_hook"};
    finding.figures = {{"exposed_gradient_transfer_share", Unit::Share, share, context.option("share")},
                       {"float32_part", Unit::Share, part, context.option("float32_part")}};
    finding.evidence =
        worstStep(context, &metrics::Breakdown::exposedCommunicationNs, words::step::exposed_communication);
    finding.advice = text::remedy;
    return std::vector<Finding>{finding};
}

/// Replays the run with half the gradient bytes.
std::vector<whatif::Changes> cures(const Context& /*context*/, const Finding& /*finding*/)
{
    return {{.gradients = "fp16"}};
}

} // namespace

RINGSIDE_RULE(fp32_gradients, .title = text::heading, .needs = {{"host", "device"}, ", on all ranks"},
              .options = kOptions, .run = run, .needsDevice = true, .help = text::help, .ofTraining = true,
              .partOf = {"exposed_communication"}, .cures = cures);

} // namespace ringside::rules::rule_fp32_gradients
