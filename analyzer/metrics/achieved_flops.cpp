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

/// Operators that only a forward pass calls. Within the backward pass they compute activations again. Not
/// aten::matmul: functions with a backward pass of their own, such as Megatron's linear layers, call it
/// there.
constexpr std::string_view kForwardOnly[] = {"aten::linear",
                                             "aten::conv1d",
                                             "aten::conv2d",
                                             "aten::conv3d",
                                             "aten::scaled_dot_product_attention",
                                             "flash_attn::_flash_attn_forward"};
constexpr std::string_view kBackwardOf = "autograd::engine::evaluate_function: "; // of PyTorch's autograd
/// A checkpoint's own backward pass, of torch.utils.checkpoint and of Megatron: it runs the forward pass
/// again, and then the backward pass of that in ranges of kBackwardOf.
constexpr std::string_view kCheckpoint = "CheckpointFunctionBackward";

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

/// The times at which a thread (table thread) computed activations again, and those within them at which it
/// computed gradients of these.
struct Recomputation {
    std::vector<Interval> again, gradients;

    [[nodiscard]] bool holds(std::int64_t time) const
    {
        return values::indexAt(again, time) && !values::indexAt(gradients, time);
    }
};

std::map<std::int64_t, Recomputation> recomputations(const trace::ProcessTrace& process)
{
    std::map<std::int64_t, Recomputation> threads;
    std::map<std::int64_t, Interval> passes;              // the outermost backward function at this place
    std::map<std::int64_t, Interval> checkpoints;         // that of a checkpoint
    for (const trace::RangeRow& range : process.ranges) { // what is around a range comes before it
        const std::string_view name = process.text(range.name);
        const Interval time{range.startNs, range.endNs};
        const auto isIn = [&](const std::map<std::int64_t, Interval>& around) { // times may be negative
            const auto found = around.find(range.thread);
            return found != around.end() && time.start < found->second.end;
        };
        if (name == kCheckpoint) {
            checkpoints[range.thread] = isIn(checkpoints) ? checkpoints[range.thread] : time;
            threads[range.thread].again.push_back(time);
        } else if (name.starts_with(kBackwardOf)) {
            if (isIn(checkpoints)) {
                threads[range.thread].gradients.push_back(time);
            }
            passes[range.thread] = isIn(passes) ? passes[range.thread] : time;
        } else if (isIn(passes) && std::ranges::find(kForwardOnly, name) != std::end(kForwardOnly)) {
            threads[range.thread].again.push_back(time);
        }
    }
    for (auto& [thread, times] : threads) {
        times.again = values::unite(std::move(times.again));
        times.gradients = values::unite(std::move(times.gradients));
    }
    return threads;
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
        ++m_result.ranks;
        m_result.rankSteps += std::ssize(figures.windows);
        m_result.stepsNs = values::addCapped(m_result.stepsNs, figures.total.stepNs);
        m_result.computeNs = values::addCapped(m_result.computeNs, figures.total.computeNs);
        const auto again = recomputations(process);
        std::map<std::uint32_t, std::int64_t> threads;
        for (const trace::ThreadRow& thread : process.threads) {
            threads[static_cast<std::uint32_t>(thread.tid)] = thread.id;
        }
        std::map<std::size_t, std::vector<Interval>> ofFamilies;
        std::vector<Interval> ofAll;
        for (const auto& [row, ran] : ranOn(figures)) {
            const auto thread = threads.find(process.operators.tid[row]);
            const auto times = thread == threads.end() ? again.end() : again.find(thread->second);
            const bool repeated = times != again.end() && times->second.holds(process.operators.startNs[row]);
            if (const auto family = count(ran, repeated)) {
                std::vector<Interval>& its = ofFamilies[*family];
                its.insert(its.end(), ran.times.begin(), ran.times.end());
                ofAll.insert(ofAll.end(), ran.times.begin(), ran.times.end());
                m_gpus.insert(gpuOf(process, rank));
            }
        }
        for (auto& [family, times] : ofFamilies) {
            std::int64_t& ns = m_result.families[family].deviceNs;
            ns = values::addCapped(ns, values::lengthOfUnion(std::move(times)));
        }
        const std::vector<Interval> known = values::unite(std::move(ofAll));
        for (const Interval& window : figures.windows) {
            m_result.knownNs = values::addCapped(m_result.knownNs, values::coveredWithin(known, window));
        }
        m_result.gpu = m_gpus.size() == 1 ? std::string(*m_gpus.begin()) : std::string();
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

    /// Returns the place of the operator's family; null if its FLOPs are not known.
    std::optional<std::size_t> count(const Ran& ran, bool repeated)
    {
        const auto precision = ran.work ? flops::precisionOf(ran.work->type, ran.kernel) : std::nullopt;
        if (!precision) {
            return std::nullopt;
        }
        auto family = std::ranges::find_if(m_result.families, [&](const FamilyFlops& each) {
            return each.family == ran.work->family && each.precision == *precision;
        });
        if (family == m_result.families.end()) {
            family = m_result.families.insert(family, FamilyFlops{});
            family->family = ran.work->family;
            family->precision = *precision;
        }
        ++family->operators;
        family->flops += ran.work->flops;
        family->recomputedFlops += repeated ? ran.work->flops : 0;
        family->bytes += ran.work->bytes;
        return static_cast<std::size_t>(family - m_result.families.begin());
    }

    using Key = std::tuple<const trace::ProcessTrace*, trace::StringId, trace::StringId, trace::StringId,
                           trace::StringId>;
    const model::Model& m_model;
    AchievedFlops& m_result;
    std::map<Key, std::optional<flops::OperatorWork>> m_works;
    std::set<std::string_view> m_gpus;
};

/// Returns the time that the FLOPs take at the peak of their precision, as a share of the steps.
template <class FlopsOf>
std::optional<double> shareOfPeak(const AchievedFlops& achieved, const FlopsOf& flopsOf)
{
    double atPeakNs = 0;
    for (const FamilyFlops& family : achieved.families) {
        if (!family.peak || family.isImpossible()) {
            return std::nullopt;
        }
        atPeakNs += flopsOf(family) / *family.peak * kNsPerS;
    }
    return achieved.stepsNs > 0 ? std::optional(atPeakNs / static_cast<double>(achieved.stepsNs))
                                : std::nullopt;
}

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

double AchievedFlops::total(double FamilyFlops::*figure) const
{
    double sum = 0;
    for (const FamilyFlops& family : families) {
        sum += family.*figure;
    }
    return sum;
}

std::optional<double> AchievedFlops::hfu() const
{
    return shareOfPeak(*this, [](const FamilyFlops& family) { return family.flops; });
}

std::optional<double> AchievedFlops::mfu() const
{
    return shareOfPeak(*this,
                       [](const FamilyFlops& family) { return family.flops - family.recomputedFlops; });
}

std::optional<double> AchievedFlops::roofOf(const FamilyFlops& family) const
{
    constexpr double kBytesPerGigabyte = 1e9;
    if (!family.peak || peaks == nullptr || family.bytes <= 0) {
        return std::nullopt;
    }
    return std::min(*family.peak, family.flopsPerByte() * peaks->gigabytesPerSecond * kBytesPerGigabyte);
}

std::string_view gpuOf(const trace::ProcessTrace& process, const model::Rank& rank)
{
    const auto device = std::ranges::find_if(process.devices, [&](const trace::DeviceRow& row) {
        return rank.owns(static_cast<std::uint32_t>(row.ordinal));
    });
    return device == process.devices.end() ? std::string_view() : std::string_view(device->name);
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
