// SPDX-License-Identifier: Apache-2.0
// Finds device memory that is nearly full, was full, or grows from step to step. If memory is nearly full,
// the next longer batch may not fit, and an allocator without room frees its cache and waits for the GPU. If
// it grows, the job fails after hours.
#include "words/memory_near_limit.h"

#include "metrics/growth.h"
#include "rules/shared/device_samples.h"
#include "trace/vocabulary/api_name.h"

#include <set>

namespace ringside::rules::rule_memory_near_limit {
namespace {

namespace text = words::memory_near_limit;

constexpr Option kOptions[] = {
    {"part", 0.95, "report if more than this share of the device's memory is used at any time"},
    {"hours", 24, "warn if memory that grows from step to step will be full within this many hours"},
};

/// Memory use of a rank.
struct Use {
    std::vector<metrics::SampleValue> samples; ///< bytes used
    double memoryBytes = 0;                    ///< 0 if not known, or if nothing was sampled
    double mostBytes = 0;
    std::int64_t refused = 0; ///< failed allocations of its process
    model::Interval lastRefusal;
    bool ended = false;              ///< training stopped after the last failed allocation
    std::optional<double> growth;    ///< bytes per step
    std::optional<double> stepsLeft; ///< until the memory is full at that rate
    std::optional<double> hoursLeft;

    [[nodiscard]] bool known() const { return memoryBytes > 0; }
    [[nodiscard]] double part() const { return known() ? mostBytes / memoryBytes : 0; }
};

double memoryOf(const Context& context, const model::Rank& rank)
{
    const std::string gpu = metrics::gpuName(context.run, rank);
    for (const trace::DeviceRow& row : context.run.processOf(rank).devices) {
        if (gpu == "gpu" + std::to_string(row.ordinal)) {
            return static_cast<double>(row.memoryBytes.value_or(0));
        }
    }
    return 0;
}

/// Returns true for calls that allocate device memory. For other calls, result 2 is ncclSystemError, or the
/// host cannot pin more memory.
bool asksTheDevice(std::string_view api)
{
    const std::string name = trace::inCudasWords(api);
    const bool allocates =
        name.starts_with("cudaMalloc") || name.starts_with("cuMemAlloc") || name.starts_with("cuMemCreate");
    return allocates && name.find("Host") == std::string::npos;
}

/// Finds allocations that failed for want of device memory, and whether training stopped. An allocator that
/// can free its cache repeats the call, which then succeeds.
void findRefusals(const model::Rank& rank, const trace::ProcessTrace& process, Use& use)
{
    constexpr std::int32_t kOutOfMemory = 2; // cudaErrorMemoryAllocation
    const trace::ApiCallColumns& calls = process.apiCalls;
    std::size_t last = 0;
    for (std::size_t i = 0; i < calls.size(); ++i) {
        if (calls.result[i] == kOutOfMemory && asksTheDevice(process.text(calls.api[i]))) {
            ++use.refused;
            last = calls.startNs[i] >= use.lastRefusal.start ? i : last;
            use.lastRefusal = {calls.startNs[last], calls.endNs[last]};
        }
    }
    use.ended =
        use.refused > 0 && !rank.steps.empty() && rank.steps.back().host.start < use.lastRefusal.start;
    for (std::size_t i = 0; i < calls.size() && use.ended; ++i) {
        use.ended = calls.startNs[i] <= use.lastRefusal.start || calls.api[i] != calls.api[last] ||
                    calls.result[i] != 0;
    }
}

/// Finds the growth per step, and when the memory will be full, counted from the last sample.
void findGrowth(const model::Rank& rank, Use& use)
{
    constexpr double kNsAnHour = 3.6e12;
    std::vector<metrics::SampleValue> trained = use.samples;
    if (use.ended) { // memory that is freed then is not part of the training
        std::erase_if(trained, [&use](const metrics::SampleValue& sample) {
            return sample.timeNs >= use.lastRefusal.start;
        });
    }
    use.growth = metrics::growthPerStep(trained, rank.steps);
    if (use.growth) {
        const auto last = static_cast<double>(use.samples.back().value);
        const model::Interval span{rank.steps.front().host.start, rank.steps.back().host.end};
        use.stepsLeft = std::max(0.0, use.memoryBytes - last) / *use.growth;
        use.hoursLeft = *use.stepsLeft * static_cast<double>(span.length()) /
                        static_cast<double>(rank.steps.size()) / kNsAnHour;
    }
}

Use useOf(const Context& context, const model::Rank& rank)
{
    Use use;
    findRefusals(rank, context.run.processOf(rank), use);
    use.samples = gpuSamples(context, rank, "memory_used_bytes");
    use.memoryBytes = use.samples.empty() ? 0 : memoryOf(context, rank);
    for (const metrics::SampleValue& sample : use.samples) {
        use.mostBytes = std::max(use.mostBytes, static_cast<double>(sample.value));
    }
    if (use.known()) {
        findGrowth(rank, use);
    }
    return use;
}

/// The worst values over all ranks that the finding names.
struct Worst {
    double part = 0;
    std::int64_t refused = 0;
    bool ended = false;
    Use soonest; ///< use of the rank whose memory is full first, if any grows
};

words::Text hoursText(double hours)
{
    constexpr double kMinutes = 60;
    constexpr double kDay = 24;
    return hours * kMinutes < 1     ? words::Text(text::within_a_minute)
           : hours * kMinutes < 1.5 ? words::Text(text::in_a_minute)
           : hours < 2              ? say(text::in_minutes, {{"minutes", hours * kMinutes}})
           : hours < 2 * kDay       ? say(text::in_hours, {{"hours", hours}})
                                    : say(text::in_days, {{"days", hours / kDay}});
}

words::Text growthText(const Worst& worst)
{
    const Use& use = worst.soonest;
    return worst.ended
               ? say(text::grew, {{"rate", *use.growth}})
               : say(text::grows,
                     {{"rate", *use.growth}, {"steps", *use.stepsLeft}, {"when", hoursText(*use.hoursLeft)}});
}

words::Text titleOf(const Worst& worst, bool isNear)
{
    if (!isNear && worst.refused == 0) {
        return text::title_grows + growthText(worst);
    }
    const words::Text refused = say(text::refused, {{"count", worst.refused}});
    words::Text title = worst.part > 0 ? say(text::up_to, {{"part", worst.part}}) : refused;
    if (worst.part > 0 && worst.refused > 0) {
        title += say(text::and_refused, {{"refused", refused}});
    }
    if (worst.ended) {
        title += text::stopped;
    }
    return worst.soonest.growth ? title + text::in_use + growthText(worst) : title;
}

const words::Template& adviceOf(const Worst& worst)
{
    return worst.soonest.growth ? text::remedy_growth : text::remedy_full;
}

void describe(const Context& context, const Worst& worst, bool isNear, Finding& finding)
{
    const Use& growing = worst.soonest;
    const bool soon = growing.hoursLeft && *growing.hoursLeft < context.option("hours");
    finding.severity = worst.ended                 ? Severity::Problem
                       : worst.refused > 0 || soon ? Severity::Warning
                                                   : Severity::Info;
    finding.broken = worst.ended;
    finding.cause = finding.severity != Severity::Info;
    finding.limit = Limit::Memory;
    finding.title = titleOf(worst, isNear);
    if (!growing.growth) {
        finding.settings = {"PYTORCH_CUDA_ALLOC_CONF"};
    }
    finding.figures = {{"refused_allocations", Unit::Count, static_cast<double>(worst.refused), {}}};
    if (worst.part > 0) {
        finding.figures.insert(finding.figures.begin(),
                               {"memory_part", Unit::Share, worst.part, context.option("part")});
    }
    if (growing.growth) {
        finding.figures.push_back({"growth", Unit::Bytes, *growing.growth, {}, PerPeriod::Yes});
    }
    if (growing.growth && !worst.ended) {
        finding.figures.push_back({"steps_until_full", Unit::Count, *growing.stepsLeft, {}});
        finding.figures.push_back(
            {"hours_until_full", Unit::Hours, *growing.hoursLeft, context.option("hours")});
    }
    finding.advice = adviceOf(worst);
}

Evidence evidenceOf(const model::Rank& rank, const Use& use)
{
    if (!use.known()) {
        return evidence(rank, use.lastRefusal, text::last_refused);
    }
    words::Text what = say(text::at_most, {{"most", use.mostBytes}, {"memory", use.memoryBytes}});
    if (use.growth) {
        what += say(text::more, {{"rate", *use.growth}});
    }
    return evidence(rank, use.samples, std::move(what));
}

Outcome run(const Context& context)
{
    Finding finding;
    Worst worst;
    std::set<std::size_t> processes;
    bool known = false;
    bool isNear = false;
    for (const model::Rank& rank : context.run.ranks) {
        Use use = useOf(context, rank);
        known = known || use.known() || use.refused > 0;
        if (use.part() <= context.option("part") && use.refused == 0 && !use.growth) {
            continue;
        }
        isNear = isNear || use.part() > context.option("part");
        worst.part = std::max(worst.part, use.part());
        worst.refused += processes.insert(rank.process).second ? use.refused : 0;
        worst.ended = worst.ended || use.ended;
        finding.ranks.push_back(rank.rank);
        finding.evidence.push_back(evidenceOf(rank, use));
        if (use.growth && (!worst.soonest.growth || *use.stepsLeft < *worst.soonest.stepsLeft)) {
            worst.soonest = std::move(use);
        }
    }
    if (!known) {
        return kNeedsNvml;
    }
    if (finding.ranks.empty()) {
        return std::vector<Finding>{};
    }
    describe(context, worst, isNear, finding);
    return std::vector<Finding>{finding};
}

} // namespace

RINGSIDE_RULE(memory_near_limit, .title = text::heading, .needs = {{"sampled"}, " (nvml)"},
              .options = kOptions, .run = run, .help = text::help, .inferenceAdvice = text::inference);

} // namespace ringside::rules::rule_memory_near_limit
