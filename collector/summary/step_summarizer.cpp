// SPDX-License-Identifier: Apache-2.0
#include "summary/step_summarizer.h"

#include "api/functions.h"
#include "trace/vocabulary/host_words.h"
#include "trace/vocabulary/kernel_class.h"
#include "trace/vocabulary/nccl_result.h"

#include <array>

namespace ringside::collector::summary {
namespace {

constexpr std::size_t kMostSteps = 1024; ///< that wait for the rest of their rows
constexpr std::size_t kMostEvents = std::size_t{1} << 15;
constexpr std::size_t kMostDevices = 64;
constexpr std::size_t kMostGraphs = 4096; ///< as many as the hooks follow
constexpr std::size_t kMostNames = std::size_t{1} << 16;
constexpr std::size_t kMostNumbered = 4096;

enum class ApiWork : std::uint8_t { Other, Launch, Blocking };

ApiWork workOf(std::string_view api)
{
    if (api.starts_with("cudaLaunch") || api.starts_with("cudaGraphLaunch")) {
        return ApiWork::Launch;
    }
    return trace::isBlockingCall(api) ? ApiWork::Blocking : ApiWork::Other;
}

/// By the number of the function, from 1.
const std::array<ApiWork, kApiNames.size() + 1>& apiWorks()
{
    static const auto kWorks = [] {
        std::array<ApiWork, kApiNames.size() + 1> works{};
        for (std::size_t i = 0; i < kApiNames.size(); ++i) {
            works[i + 1] = workOf(kApiNames[i]);
        }
        return works;
    }();
    return kWorks;
}

std::optional<std::int64_t> sumOf(std::optional<std::int64_t> a, std::optional<std::uint64_t> b)
{
    return a && b ? std::optional(*a + static_cast<std::int64_t>(*b)) : std::nullopt;
}

} // namespace

void StepSummarizer::defineString(trace::StringId id, std::string_view text)
{
    NameClass known;
    known.loads = trace::isDataLoadingRange(text);
    known.stepSource = static_cast<std::uint8_t>(stepSourceOf(text).value_or(0));
    known.communicates = trace::classifyKernel(text) == trace::KernelClass::Communication;
    if (known.stepSource != 0) {
        known.number = trace::parseStepName(text)->number;
    }
    if ((!known.loads && known.stepSource == 0 && !known.communicates) || m_names.size() >= kMostNames) {
        return;
    }
    m_names[id] = known;
    if (known.number) { // a name that is used once
        m_numbered.push_back(id);
    }
    if (m_numbered.size() > kMostNumbered) {
        m_names.erase(m_numbered.front());
        m_numbered.pop_front();
    }
}

void StepSummarizer::see(const trace::CollectiveCallRow& row)
{
    if (trace::isNcclFailure(row.result)) {
        return; // it moved nothing
    }
    if (row.graph) { // captured: it runs when the graph is launched
        const std::pair key(*row.graph, row.communicator);
        if (m_graphs.size() < kMostGraphs || m_graphs.contains(key)) {
            GraphTraffic& traffic = m_graphs[key];
            ++traffic.calls;
            traffic.bytes = sumOf(traffic.bytes, row.bytes);
        }
        return;
    }
    addHost({{row.startNs, row.endNs},
             HostWork::Collective,
             static_cast<std::uint32_t>(row.communicator),
             1,
             sumOf(0, row.bytes)});
}

void StepSummarizer::see(const trace::GraphLaunchRow& row)
{
    m_graphLaunches.insert(row.launch);
    if (m_graphLaunches.size() > kMostGraphs) {
        m_graphLaunches.erase(m_graphLaunches.begin());
    }
    if (row.calls == 0) {
        return;
    }
    const auto captured = m_graphs.find({row.graph, row.communicator});
    addHost({{row.startNs, row.endNs},
             HostWork::Collective,
             row.communicator,
             static_cast<std::int64_t>(row.calls),
             captured != m_graphs.end() ? captured->second.bytes : std::nullopt});
}

void StepSummarizer::see(const trace::StepRow& row)
{
    beginsStep(kMarkedSteps, row.thread, {row.startNs, row.endNs}, row.number);
}

void StepSummarizer::see(const trace::RangeRow& row)
{
    const auto name = m_names.find(row.name);
    if (name == m_names.end()) {
        return;
    }
    // Threads that load ahead keep nobody waiting.
    if (name->second.loads && (!m_source || row.thread == m_thread)) {
        addHost({{row.startNs, row.endNs}, HostWork::Loading});
    }
    if (name->second.stepSource != 0) {
        beginsStep(name->second.stepSource, row.thread, {row.startNs, row.endNs}, name->second.number);
    }
}

void StepSummarizer::see(const trace::ApiCallRow& row)
{
    const ApiWork work = row.api < apiWorks().size() ? apiWorks()[row.api] : ApiWork::Other;
    if (work != ApiWork::Other) {
        addHost({{row.startNs, row.endNs}, work == ApiWork::Launch ? HostWork::Launch : HostWork::Blocking});
    }
}

void StepSummarizer::see(const trace::LaunchRow& row)
{
    Step* const ended = stepAt(row.startNs);
    Step& step = ended != nullptr ? *ended : m_open;
    if (!step.hasLaunches || static_cast<std::int32_t>(row.correlation - step.firstLaunch) < 0) {
        step.firstLaunch = row.correlation;
    }
    step.hasLaunches = true;
}

void StepSummarizer::see(const trace::CallCorrelationRow& row)
{
    if (m_calls.size() >= DeviceSteps::kMostOperations) { // of steps that never end
        m_calls.clear();
    }
    m_calls.insert_or_assign(row.correlation, row.call);
}

void StepSummarizer::see(const trace::KernelRow& row)
{
    const auto name = m_names.find(row.name);
    const bool communicates = name != m_names.end() && name->second.communicates;
    addDevice(row.device, {row.startNs, row.endNs}, row.correlation,
              communicates ? values::kCommunication : values::kCompute);
}

void StepSummarizer::see(const trace::CopyRow& row)
{
    addDevice(row.device, {row.startNs, row.endNs}, row.correlation, values::kCopy);
}

void StepSummarizer::addDevice(std::uint32_t device, Interval times, std::uint32_t correlation,
                               values::Class work)
{
    ++m_deviceRows;
    if (m_devices.size() < kMostDevices || m_devices.contains(device)) {
        m_devices[device].add(times, correlation, work);
    }
}

/// A better source takes over at once. Steps of other threads, which a process with several ranks has, lie
/// beside those of the first one: only a step behind all others can be of a thread that took over.
bool StepSummarizer::isNextStep(StepSource source, std::int64_t thread, const Interval& times) const
{
    if (times.end <= std::max(times.start, m_lastEndNs)) {
        return false;
    }
    if (!m_source || source < *m_source) {
        return true;
    }
    const std::int64_t latestNs = m_steps.empty() ? 0 : m_steps.back().times.end - m_steps.back().times.start;
    return source == *m_source && times.start >= m_lastEndNs &&
           (thread == m_thread || times.start > m_lastEndNs + 2 * latestNs);
}

void StepSummarizer::beginsStep(StepSource source, std::int64_t thread, Interval times,
                                std::optional<std::int64_t> number)
{
    if (!isNextStep(source, thread, times)) {
        return;
    }
    m_source = source;
    m_thread = thread;
    addStep(source == kMarkedSteps ? trace::SummarySource("mark") : trace::SummarySource("range"),
            {std::max(times.start, m_lastEndNs), times.end}, number);
}

void StepSummarizer::addStep(trace::SummarySource source, Interval times, std::optional<std::int64_t> number)
{
    m_open.id = m_nextId++;
    m_open.number = number;
    m_open.source = std::move(source);
    m_open.times = times;
    m_steps.push_back(std::move(m_open));
    m_open = {};
    m_lastEndNs = times.end;
}

void StepSummarizer::addHost(const HostEvent& event)
{
    m_events.push_back(event);
    if (m_events.size() >= kMostEvents) {
        distributeHost();
    }
}

// Not before the whole pass is read: a thread's calls may come before the marks of another thread's ring.
void StepSummarizer::distributeHost()
{
    for (const HostEvent& event : m_events) {
        Step* const ended = stepAt(event.times.start);
        (ended != nullptr ? *ended : m_open).host.add(event);
    }
    m_events.clear();
}

/// The ended step to which work counts that began then. Null: it belongs to the present one.
StepSummarizer::Step* StepSummarizer::stepAt(std::int64_t ns)
{
    if (m_steps.empty() || ns >= m_lastEndNs) {
        return nullptr;
    }
    auto step = std::upper_bound(m_steps.begin(), m_steps.end(), ns,
                                 [](std::int64_t when, const Step& each) { return when < each.times.end; });
    return &*step;
}

/// Kernels count to the step in which they were enqueued, on every rank alike. Those of the present step wait
/// for its end; those of steps that are summed up already came too late.
void StepSummarizer::distributeKernels()
{
    const std::int64_t firstNs = m_steps.empty() ? m_lastEndNs : m_steps.front().times.start;
    std::erase_if(m_kernels, [&](const NcclKernel& kernel) {
        m_latestKernelNs = std::max(m_latestKernelNs, kernel.enqueuedNs);
        if (kernel.enqueuedNs >= m_lastEndNs) {
            return false;
        }
        if (kernel.enqueuedNs >= firstNs) {
            stepAt(kernel.enqueuedNs)->nccl.add(kernel.ran);
        }
        return true;
    });
    if (m_kernels.size() > kMostEvents) {
        m_kernels.clear();
        m_timedFromNs = m_timedUntilNs; // the present step is not measured
    }
}

/// NCCL tells of a kernel when it has run, which a host that is ahead of its GPU does not wait for.
bool StepSummarizer::awaitsKernels() const
{
    const Step& step = m_steps.front();
    return m_timedUntilNs > step.times.end && m_latestKernelNs != 0 && step.host.collectives() > 0 &&
           (m_steps.size() < 2 || m_latestKernelNs < m_steps[1].times.end);
}

std::optional<std::int64_t> StepSummarizer::ncclTime(const Step& step) const
{
    const bool isWhole = step.times.start >= m_timedFromNs && step.times.end <= m_timedUntilNs &&
                         m_latestKernelNs >= step.times.end;
    return m_timedFromNs != 0 && isWhole && step.host.collectives() > 0 ? std::optional(step.nccl.length())
                                                                        : std::nullopt;
}

std::vector<Summary> StepSummarizer::pass(std::int64_t nowNs, bool stepsAreMarked, bool deviceIsRecorded,
                                          std::optional<std::int64_t> kernelsTimedSinceNs)
{
    m_deviceIsRecorded = deviceIsRecorded;
    m_timedFromNs = kernelsTimedSinceNs.value_or(m_timedFromNs);
    m_timedUntilNs = kernelsTimedSinceNs ? nowNs : m_timedUntilNs;
    m_lastDeviceNs = std::exchange(m_deviceRows, 0) != 0 ? nowNs : m_lastDeviceNs;
    if (m_source || stepsAreMarked || m_stretchFromNs == 0) {
        m_stretchFromNs = nowNs;
    } else if (nowNs - m_stretchFromNs >= kStretchNs) {
        addStep("time", {m_stretchFromNs, nowNs}, std::nullopt);
        m_stretchFromNs = nowNs;
    }
    distributeHost();
    distributeKernels();
    std::vector<Summary> complete;
    while (!m_steps.empty() && (isComplete(m_steps.front(), nowNs) || m_steps.size() > kMostSteps)) {
        complete.push_back(close());
    }
    for (Step& step : m_steps) {
        step.seenNs = step.seenNs == 0 ? nowNs : step.seenNs;
    }
    return complete;
}

/// A ring that was read before the mark's may hold more of the step: it waits for another pass.
bool StepSummarizer::isComplete(const Step& step, std::int64_t nowNs)
{
    if (step.seenNs == 0) {
        return false;
    }
    const bool deviceSpeaks =
        m_deviceIsRecorded || (m_lastDeviceNs != 0 && nowNs - m_lastDeviceNs < kDevicePatienceNs);
    const bool isLate = nowNs - step.seenNs >= kDevicePatienceNs;
    if (isLate || (!deviceSpeaks && !awaitsKernels())) {
        return true;
    }
    if (!deviceSpeaks) {
        return false;
    }
    // The work of the step after the next one has begun: nothing of this one is still to come.
    constexpr std::size_t kAhead = 2;
    const Step* const later = launchesAfter(kAhead);
    return later != nullptr && std::all_of(m_devices.begin(), m_devices.end(), [&](auto& device) {
               return device.second.firstStart(later->firstLaunch).has_value();
           });
}

/// The step at that place of m_steps, or the present one behind them, if CUPTI told of launches in it. Null:
/// it did not, or not yet.
const StepSummarizer::Step* StepSummarizer::launchesAfter(std::size_t index) const
{
    const Step* step = nullptr;
    if (index <= m_steps.size()) {
        step = index < m_steps.size() ? &m_steps[index] : &m_open;
    }
    return step != nullptr && step->hasLaunches ? step : nullptr;
}

/// The first of the steps.
Summary StepSummarizer::close()
{
    const Step step = std::move(m_steps.front());
    m_steps.pop_front();
    trace::StepSummaryRow row;
    row.id = step.id;
    row.number = step.number;
    row.source = step.source;
    row.startNs = step.times.start;
    row.endNs = step.times.end;
    row.launches = step.host.launches();
    row.collectives = step.host.collectives();
    row.blockingNs = step.host.blockingNs();
    row.loadingNs = step.host.loadingNs();
    row.ncclNs = ncclTime(step);
    Summary summary;
    if (!closeDevices(step, row, summary)) {
        summary.rows.push_back(row);
    }
    for (const Traffic& each : step.host.traffic()) {
        summary.traffic.push_back({step.id, each.communicator, step.times.start, each.calls, each.bytes});
    }
    return summary;
}

/// The correlations under which NCCL launched anything; a copy among it is a collective's, which copy engines
/// did. Copies of graphs are the program's as far as is known.
std::unordered_set<std::uint32_t> StepSummarizer::launchesOfNccl() const
{
    std::unordered_set<std::uint32_t> launches;
    for (const auto& [correlation, call] : m_calls) {
        if (!m_graphLaunches.contains(call)) {
            launches.insert(correlation);
        }
    }
    return launches;
}

/// Device work is known as a whole only between steps of which CUPTI told, too.
bool StepSummarizer::closeDevices(const Step& step, trace::StepSummaryRow row, Summary& summary)
{
    const Step* const next = launchesAfter(0);
    const bool measured = std::exchange(m_formerHasLaunches, step.hasLaunches) && step.hasLaunches;
    if (next == nullptr) {
        return false;
    }
    const std::unordered_set<std::uint32_t> byNccl = launchesOfNccl();
    for (auto& [device, work] : m_devices) {
        if (!measured) {
            work.forgetBefore(next->firstLaunch);
        } else if (const auto figures = work.close(step.firstLaunch, next->firstLaunch, byNccl)) {
            row.device = device;
            row.deviceStartNs = figures->window.start;
            row.deviceEndNs = figures->window.end;
            row.computeNs = figures->parts.computeNs;
            row.communicationNs = figures->parts.communicationNs;
            row.exposedCommunicationNs = figures->parts.exposedCommunicationNs;
            row.exposedCopyNs = figures->parts.exposedCopyNs;
            row.idleNs = figures->parts.idleNs;
            summary.rows.push_back(row);
        }
    }
    std::erase_if(m_calls, [&](const auto& each) { return isBefore(each.first, next->firstLaunch); });
    return !summary.rows.empty();
}

std::vector<Summary> StepSummarizer::finish()
{
    distributeHost();
    distributeKernels();
    std::vector<Summary> rest;
    while (!m_steps.empty()) {
        rest.push_back(close());
    }
    return rest;
}

} // namespace ringside::collector::summary
