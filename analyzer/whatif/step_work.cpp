// SPDX-License-Identifier: Apache-2.0
#include "whatif/step_work.h"

#include "metrics/idle.h"

namespace ringside::whatif {

RankReader::RankReader(const model::Model& model, std::size_t rank, const std::vector<std::int64_t>& numbers)
    : m_model(model)
    , m_rank(model.ranks[rank])
    , m_index(rank)
    , m_process(model.processOf(m_rank))
    , m_steps(numbers.size())
{
    for (const model::Step& step : m_rank.steps) {
        const auto found = std::lower_bound(numbers.begin(), numbers.end(), step.number);
        if (found != numbers.end() && *found == step.number) {
            m_windows.emplace_back(step.host, static_cast<std::size_t>(found - numbers.begin()));
        }
    }
}

std::optional<std::size_t> RankReader::stepAt(std::int64_t time) const
{
    const auto window = values::indexAt(m_windows, time, &std::pair<model::Interval, std::size_t>::first);
    return window ? std::optional(m_windows[*window].second) : std::nullopt;
}

template <typename Columns, typename Describe>
void RankReader::addRows(const Columns& columns, const Describe& describe)
{
    const model::LaunchIndex& launches = m_model.launches[m_rank.process];
    for (std::size_t row = 0; row < columns.size(); ++row) {
        if (!m_rank.owns(columns.device[row])) {
            continue;
        }
        const auto launch = launches.find(columns.correlation[row]);
        if (!launch) {
            ++m_withoutLaunch;
            continue;
        }
        const std::int64_t launchStart = m_process.launches.startNs[*launch];
        const auto step = stepAt(launchStart);
        if (!step) {
            continue;
        }
        Work work;
        const std::int64_t start = m_rank.clock.toRun(columns.startNs[row]);
        work.times = {.launchStart = m_rank.clock.toRun(launchStart),
                      .launchEnd = m_rank.clock.toRun(m_process.launches.endNs[*launch]),
                      .start = start,
                      .end = std::max(start, m_rank.clock.toRun(columns.endNs[row]))};
        work.stream = columns.stream[row];
        work.tid = m_process.launches.tid[*launch];
        work.blocksHost = metrics::isBlockingCall(m_process.text(m_process.launches.api[*launch]));
        describe(row, work);
        m_steps[*step].push_back(work);
    }
}

std::vector<StepWork> RankReader::read()
{
    m_operations = model::operationsOfKernels(m_model, m_index);
    const model::KernelClasses& classes = m_model.classes[m_rank.process];
    addRows(m_process.kernels, [&](std::size_t row, Work& work) {
        Hash hash;
        hash.add(m_process.kernels.name[row]).add(work.stream);
        work.communication = classes.of(m_process.kernels.name[row]) == model::KernelClass::Communication;
        const auto found = m_operations.find(static_cast<std::uint32_t>(row));
        if (found != m_operations.end()) {
            const model::Operation& operation = m_model.operations[found->second];
            hash.add(operation.communicator).add(operation.bytes.value_or(0));
            work.operation = operation.measured() ? std::optional(found->second) : std::nullopt;
        }
        work.signature = hash.value();
    });
    addRows(m_process.copies, [&](std::size_t row, Work& work) {
        work.copy = true;
        work.signature = Hash().add(m_process.copies.kind[row]).add(work.stream).add(~0U).value();
    });
    for (StepWork& step : m_steps) {
        std::stable_sort(step.begin(), step.end(), [](const Work& a, const Work& b) {
            return std::pair(a.times.launchStart, a.times.start) <
                   std::pair(b.times.launchStart, b.times.start);
        });
    }
    return std::move(m_steps);
}

} // namespace ringside::whatif
