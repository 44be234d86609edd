// SPDX-License-Identifier: Apache-2.0
#include "import/nsys/nccl_units.h"

#include "import/nccl_names.h"
#include "import/surrounding.h"
#include "model/collective_match.h"
#include "model/launch_index.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace ringside::importers::nsys {
namespace {

/// The kind of an NCCL range.
enum class Role : std::uint8_t { Data, GroupBegin, GroupEnd, Other };

Role roleOf(std::string_view name)
{
    if (name == "ncclGroupStart") {
        return Role::GroupBegin;
    }
    if (name == "ncclGroupEnd" || name == "ncclGroupSimulateEnd") {
        return Role::GroupEnd;
    }
    return model::collectiveKind(name) != model::CollectiveKind::Other ? Role::Data : Role::Other;
}

/// The time span of a thread in which launched kernels belong to a unit.
struct LaunchSpan {
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
    std::size_t unit = 0;
};

class Finder final {
public:
    Finder(const trace::ProcessTrace& process, const std::vector<NcclRange>& ranges)
        : m_process(process), m_ranges(ranges), m_launches(process.launches), m_names(process)
    {}

    Units find()
    {
        findCalls();
        collectAnnotations();
        findKernels();
        sortUnits();
        return std::move(m_result);
    }

private:
    void findCalls()
    {
        std::map<std::uint32_t, std::vector<const NcclRange*>> threads;
        for (const NcclRange& range : m_ranges) {
            threads[range.tid].push_back(&range);
        }
        for (auto& [tid, ranges] : threads) {
            std::ranges::stable_sort(ranges, [](const NcclRange* a, const NcclRange* b) {
                return a->startNs != b->startNs ? a->startNs < b->startNs : a->endNs > b->endNs;
            });
            readThread(tid, ranges);
        }
    }

    /// Finds the calls and groups of a thread. Ranges inside a data call are part of its implementation and
    /// are ignored.
    void readThread(std::uint32_t tid, const std::vector<const NcclRange*>& ranges)
    {
        std::int64_t depth = 0;
        Unit group;
        std::int64_t insideUntil = std::numeric_limits<std::int64_t>::min();
        for (const NcclRange* const range : ranges) {
            const Role role =
                range->startNs < insideUntil ? Role::Other : roleOf(m_process.text(range->name));
            if (role == Role::GroupBegin && depth++ == 0) {
                group = {};
                group.group = true;
                group.startNs = range->startNs;
            } else if (role == Role::GroupEnd && depth == 0) {
                ++m_result.brokenGroups;
            } else if (role == Role::GroupEnd && --depth == 0) {
                group.launchStartNs = range->startNs;
                addUnit(std::exchange(group, {}), tid, range->endNs);
            } else if (role == Role::Data) {
                insideUntil = range->endNs;
                if (depth > 0) {
                    group.calls.push_back(range);
                } else {
                    addCall(*range);
                }
            }
        }
        if (depth > 0) { // the recording ended inside a group: its calls were made, but not launched
            for (const NcclRange* const call : group.calls) {
                addCall(*call);
            }
        }
    }

    void addCall(const NcclRange& range)
    {
        Unit unit;
        unit.calls = {&range};
        unit.startNs = range.startNs;
        unit.launchStartNs = range.startNs;
        addUnit(std::move(unit), range.tid, range.endNs);
    }

    void addUnit(Unit unit, std::uint32_t tid, std::int64_t endNs)
    {
        if (unit.calls.empty()) { // a group around the creation of communicators
            return;
        }
        unit.hosted = true;
        unit.tid = tid;
        unit.endNs = endNs;
        m_spans[tid].push_back({unit.launchStartNs, endNs, m_result.units.size()});
        m_result.units.push_back(std::move(unit));
    }

    void collectAnnotations()
    {
        for (const trace::RangeRow& range : m_process.ranges) {
            if (m_names.isAnnotation(range.name)) {
                m_annotations.add(range.thread, range);
            }
        }
        m_annotations.finish();
        for (Unit& unit : m_result.units) {
            annotate(unit, unit.tid, unit.launchStartNs);
        }
    }

    void annotate(Unit& unit, std::uint32_t tid, std::int64_t timeNs)
    {
        if (const trace::RangeRow* const annotation = m_annotations.at(tid, timeNs)) {
            unit.surrounding = ncclFunctionOf(m_process.text(annotation->name));
            unit.annotated = !unit.surrounding.empty();
        }
    }

    /// Returns the rows of NCCL's kernels, ordered by start.
    std::vector<std::size_t> ncclKernels()
    {
        const trace::KernelColumns& kernels = m_process.kernels;
        std::vector<std::size_t> rows;
        for (std::size_t i = 0; i < kernels.size(); ++i) {
            if (m_names.isKernel(kernels.name[i])) {
                rows.push_back(i);
            }
        }
        std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return kernels.startNs[row]; });
        return rows;
    }

    void findKernels()
    {
        const trace::KernelColumns& kernels = m_process.kernels;
        const std::vector<std::size_t> rows = ncclKernels();
        std::unordered_map<std::uint32_t, int> uses;
        for (const std::size_t row : rows) {
            ++uses[kernels.correlation[row]];
        }
        for (const std::size_t row : rows) {
            const std::uint32_t correlation = kernels.correlation[row];
            if (correlation == 0 || uses[correlation] > 1) {
                ++m_result.sharedLaunch; // a CUDA graph, which does not record the call of each kernel
                continue;
            }
            const auto launch = m_launches.find(correlation);
            const auto unit = launch ? unitAt(*launch) : std::nullopt;
            Unit& owner = unit ? m_result.units[*unit] : addUndescribed(launch, row);
            owner.kernels.push_back(row);
            if (owner.surrounding.empty()) {
                owner.surrounding = ncclFunctionOf(m_process.text(kernels.name[row]));
            }
        }
    }

    [[nodiscard]] std::optional<std::size_t> unitAt(std::uint32_t launch) const
    {
        const auto spans = m_spans.find(m_process.launches.tid[launch]);
        if (spans == m_spans.end()) {
            return std::nullopt;
        }
        const std::int64_t time = m_process.launches.startNs[launch];
        auto span = std::ranges::upper_bound(spans->second, time, {}, &LaunchSpan::startNs);
        if (span == spans->second.begin() || (--span)->endNs <= time) {
            return std::nullopt;
        }
        return span->unit;
    }

    /// Adds a unit without calls for a kernel whose launch is in no NCCL range.
    Unit& addUndescribed(std::optional<std::uint32_t> launch, std::size_t kernel)
    {
        Unit unit;
        unit.hosted = launch.has_value();
        if (launch) {
            unit.startNs = m_process.launches.startNs[*launch];
            unit.endNs = m_process.launches.endNs[*launch];
            unit.tid = m_process.launches.tid[*launch];
            annotate(unit, unit.tid, unit.startNs);
        } else {
            unit.startNs = unit.endNs = m_process.kernels.startNs[kernel];
        }
        unit.launchStartNs = unit.startNs;
        m_result.units.push_back(std::move(unit));
        return m_result.units.back();
    }

    /// Orders the units by the starts of their kernels. Units without kernels are inserted by the time of
    /// their host calls.
    void sortUnits()
    {
        std::vector<Unit> withoutKernel;
        std::vector<Unit> withKernel;
        for (Unit& unit : m_result.units) {
            (unit.kernels.empty() ? withoutKernel : withKernel).push_back(std::move(unit));
        }
        std::ranges::stable_sort(withKernel, {}, [&](const Unit& unit) {
            return m_process.kernels.startNs[unit.kernels.front()];
        });
        std::ranges::stable_sort(withoutKernel, {}, &Unit::startNs);
        m_result.units.clear();
        auto next = withoutKernel.begin();
        for (Unit& unit : withKernel) {
            for (; unit.hosted && next != withoutKernel.end() && next->startNs < unit.startNs; ++next) {
                m_result.units.push_back(std::move(*next));
            }
            m_result.units.push_back(std::move(unit));
        }
        std::move(next, withoutKernel.end(), std::back_inserter(m_result.units));
    }

    const trace::ProcessTrace& m_process;
    const std::vector<NcclRange>& m_ranges;
    model::LaunchIndex m_launches;
    NcclNames m_names;
    std::map<std::uint32_t, std::vector<LaunchSpan>> m_spans; ///< of each thread, ordered by start
    Surrounding<trace::RangeRow> m_annotations;
    Units m_result;
};

} // namespace

Units findUnits(const trace::ProcessTrace& process, const std::vector<NcclRange>& ranges)
{
    return Finder(process, ranges).find();
}

} // namespace ringside::importers::nsys
