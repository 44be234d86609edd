// SPDX-License-Identifier: Apache-2.0
#include "metrics/achieved_flops.h"

#include "model/launch_index.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>

namespace ringside::metrics {
namespace {

constexpr double kNsPerS = 1e9;

/// Operators that only a forward pass calls. Within the backward pass they compute activations again.
constexpr std::string_view kForwardOnly[] = {"aten::linear",
                                             "aten::matmul",
                                             "aten::conv1d",
                                             "aten::conv2d",
                                             "aten::conv3d",
                                             "aten::scaled_dot_product_attention",
                                             "flash_attn::_flash_attn_forward"};
constexpr std::string_view kBackwardOf = "autograd::engine::evaluate_function: "; // of PyTorch's autograd

/// Finds the operator that launched a kernel: the innermost one that was running on the launching thread.
class OperatorsByThread final {
public:
    explicit OperatorsByThread(const trace::OperatorColumns& operators) : m_operators(operators)
    {
        for (std::size_t row = 0; row < operators.size(); ++row) {
            m_threads[operators.tid[row]].push_back({row, kNone});
        }
        for (auto& [tid, calls] : m_threads) {
            std::ranges::stable_sort(calls, {},
                                     [&](const Call& call) { return operators.startNs[call.row]; });
            link(calls);
        }
    }

    [[nodiscard]] std::optional<std::size_t> at(std::uint32_t tid, std::int64_t time) const
    {
        const auto thread = m_threads.find(tid);
        if (thread == m_threads.end()) {
            return std::nullopt;
        }
        const std::vector<Call>& calls = thread->second;
        const auto startOf = [&](const Call& call) { return m_operators.startNs[call.row]; };
        std::size_t place =
            static_cast<std::size_t>(std::ranges::upper_bound(calls, time, {}, startOf) - calls.begin());
        for (--place; place != kNone && m_operators.endNs[calls[place].row] < time;) {
            place = calls[place].around;
        }
        return place == kNone ? std::nullopt : std::optional(calls[place].row);
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
    struct Call {
        std::size_t row;
        std::size_t around; ///< place of the call that it is part of
    };

    void link(std::vector<Call>& calls) const
    {
        std::size_t open = kNone;
        for (std::size_t i = 0; i < calls.size(); ++i) {
            while (open != kNone && m_operators.endNs[calls[open].row] < m_operators.endNs[calls[i].row]) {
                open = calls[open].around;
            }
            calls[i].around = open;
            open = i;
        }
    }

    const trace::OperatorColumns& m_operators;
    std::unordered_map<std::uint32_t, std::vector<Call>> m_threads;
};

/// The times at which each thread (table thread) computed activations again.
std::map<std::int64_t, std::vector<Interval>> recomputations(const trace::ProcessTrace& process)
{
    std::map<std::int64_t, std::vector<Interval>> backward;
    std::map<std::int64_t, std::vector<Interval>> again;
    for (const trace::RangeRow& range :
         process.ranges) { // by start, so what is around a range comes before it
        const std::string_view name = process.text(range.name);
        const Interval time{range.startNs, range.endNs};
        std::vector<Interval>& passes = backward[range.thread];
        if (name.starts_with(kBackwardOf)) {
            if (passes.empty() || passes.back().end <= time.start) {
                passes.push_back(time);
            }
        } else if (!passes.empty() && time.start < passes.back().end &&
                   std::ranges::find(kForwardOnly, name) != std::end(kForwardOnly)) {
            again[range.thread].push_back(time);
        }
    }
    for (auto& [thread, times] : again) {
        times = values::unite(std::move(times));
    }
    return again;
}

/// What was found of an operator: its work, and when its kernels ran.
struct Ran {
    std::optional<flops::OperatorWork> work;
    std::string_view kernel; ///< the first one
    std::vector<Interval> times;
};

class Counter final {
public:
    Counter(const model::Model& model, AchievedFlops& result) : m_model(model), m_result(result) {}

    void add(const RankMetrics& figures)
    {
        const model::Rank& rank = m_model.ranks[figures.rank];
        const trace::ProcessTrace& process = m_model.processOf(rank);
        if (process.operators.size() == 0) {
            return;
        }
        for (const Interval& window : figures.windows) {
            m_result.stepsNs = values::addCapped(m_result.stepsNs, window.length());
        }
        m_result.ranksAndSteps += std::ssize(figures.windows);
        m_result.computeNs = values::addCapped(m_result.computeNs, figures.total.computeNs);
        const auto again = recomputations(process);
        std::map<std::uint32_t, std::int64_t> threads;
        for (const trace::ThreadRow& thread : process.threads) {
            threads[static_cast<std::uint32_t>(thread.tid)] = thread.id;
        }
        for (const auto& [row, ran] : ranOn(figures)) {
            const auto thread = threads.find(process.operators.tid[row]);
            const auto times = thread == threads.end() ? again.end() : again.find(thread->second);
            const bool repeated = times != again.end() &&
                                  values::indexAt(times->second, process.operators.startNs[row]).has_value();
            count(ran, repeated, deviceOf(process, rank));
        }
    }

private:
    /// The operators whose kernels began in the analyzed steps of a rank.
    std::map<std::size_t, Ran> ranOn(const RankMetrics& figures)
    {
        const model::Rank& rank = m_model.ranks[figures.rank];
        const trace::ProcessTrace& process = m_model.processOf(rank);
        const trace::KernelColumns& kernels = process.kernels;
        const model::LaunchIndex launches(process.launches);
        const OperatorsByThread operators(process.operators);
        std::map<std::size_t, Ran> ran;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            const auto launch =
                rank.owns(kernels.device[i]) && values::indexAt(figures.windows, kernels.startNs[i])
                    ? launches.find(kernels.correlation[i])
                    : std::nullopt;
            const auto row =
                launch ? operators.at(process.launches.tid[*launch], process.launches.startNs[*launch])
                       : std::nullopt;
            if (row) {
                Ran& found = ran[*row];
                if (found.times.empty()) {
                    found.work = workOf(process, *row);
                    found.kernel = process.text(kernels.name[i]);
                }
                found.times.push_back({kernels.startNs[i], kernels.endNs[i]});
            }
        }
        return ran;
    }

    std::optional<flops::OperatorWork> workOf(const trace::ProcessTrace& process, std::size_t row)
    {
        const trace::OperatorColumns& all = process.operators;
        const Key key{&process, all.name[row], all.shapes[row], all.types[row], all.inputs[row]};
        const auto [entry, fresh] = m_works.try_emplace(key);
        if (fresh) {
            entry->second = flops::workOf({process.text(all.name[row]), process.text(all.shapes[row]),
                                           process.text(all.types[row]), process.text(all.inputs[row])});
        }
        return entry->second;
    }

    static std::string_view deviceOf(const trace::ProcessTrace& process, const model::Rank& rank)
    {
        const auto device = std::ranges::find_if(process.devices, [&](const trace::DeviceRow& row) {
            return rank.owns(static_cast<std::uint32_t>(row.ordinal));
        });
        return device == process.devices.end() ? std::string_view() : std::string_view(device->name);
    }

    void count(const Ran& ran, bool repeated, std::string_view gpu)
    {
        const auto precision = ran.work ? flops::precisionOf(ran.work->type, ran.kernel) : std::nullopt;
        if (!precision) {
            return;
        }
        auto family = std::ranges::find_if(m_result.families, [&](const FamilyFlops& each) {
            return each.family == ran.work->family && each.precision == *precision;
        });
        if (family == m_result.families.end()) {
            family =
                m_result.families.insert(family, FamilyFlops{ran.work->family, *precision, 0, 0, 0, 0, {}});
        }
        const std::int64_t ns = values::lengthOfUnion(ran.times);
        ++family->operators;
        family->flops += ran.work->flops;
        family->bytes += ran.work->bytes;
        family->deviceNs = values::addCapped(family->deviceNs, ns);
        m_result.knownNs = values::addCapped(m_result.knownNs, ns);
        m_result.flops += ran.work->flops;
        m_result.recomputedFlops += repeated ? ran.work->flops : 0;
        m_gpus.insert(gpu);
        m_result.gpu = m_gpus.size() == 1 ? std::string(gpu) : std::string();
    }

    using Key = std::tuple<const trace::ProcessTrace*, trace::StringId, trace::StringId, trace::StringId,
                           trace::StringId>;
    const model::Model& m_model;
    AchievedFlops& m_result;
    std::map<Key, std::optional<flops::OperatorWork>> m_works;
    std::set<std::string_view> m_gpus;
};

} // namespace

double FamilyFlops::flopsPerSecond() const
{
    return deviceNs > 0 ? flops * kNsPerS / static_cast<double>(deviceNs) : 0;
}

double FamilyFlops::flopsPerByte() const
{
    return bytes > 0 ? flops / bytes : 0;
}

bool FamilyFlops::isImpossible() const
{
    constexpr double kAboveBoost = 1.1; // clocks above the stated boost clock, and the ends of kernels
    return peak && flopsPerSecond() > *peak * kAboveBoost;
}

std::optional<double> AchievedFlops::hfu() const
{
    double atPeakNs = 0;
    for (const FamilyFlops& family : families) {
        if (!family.peak || family.isImpossible()) {
            return std::nullopt;
        }
        atPeakNs += family.flops / *family.peak * kNsPerS;
    }
    return stepsNs > 0 ? std::optional(atPeakNs / static_cast<double>(stepsNs)) : std::nullopt;
}

std::optional<double> AchievedFlops::mfu() const
{
    const auto all = hfu();
    return all && flops > 0 ? std::optional(*all * (1 - recomputedFlops / flops)) : std::nullopt;
}

std::optional<double> AchievedFlops::roofOf(const FamilyFlops& family) const
{
    constexpr double kBytesPerGigabyte = 1e9;
    if (!family.peak || peaks == nullptr || family.bytes <= 0) {
        return std::nullopt;
    }
    return std::min(*family.peak, family.flopsPerByte() * peaks->gigabytesPerSecond * kBytesPerGigabyte);
}

std::optional<AchievedFlops> achievedFlopsOf(const model::Model& model, const RunMetrics& run)
{
    AchievedFlops result;
    Counter counter(model, result);
    for (const RankMetrics& rank : run.ranks) {
        counter.add(rank);
    }
    result.peaks = flops::peaksOf(result.gpu);
    for (FamilyFlops& family : result.families) {
        family.peak = result.peaks == nullptr ? std::nullopt : result.peaks->flopsPerSecond(family.precision);
    }
    std::ranges::stable_sort(result.families, std::ranges::greater(), &FamilyFlops::flops);
    return result.families.empty() ? std::nullopt : std::optional(std::move(result));
}

} // namespace ringside::metrics
