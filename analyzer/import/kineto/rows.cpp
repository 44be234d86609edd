// SPDX-License-Identifier: Apache-2.0
#include "import/kineto/rows.h"

#include "flops/operator_work.h"
#include "import/decimal.h"
#include "import/device_words.h"
#include "trace/read/plausible.h"
#include "trace/vocabulary/api_name.h"
#include "values/parse_number.h"

#include <algorithm>

namespace ringside::importers::kineto {
namespace {

template <class Row, class Columns>
void keepFirst(Columns& columns, std::size_t count)
{
    Columns kept;
    trace::TableOf<Row>::forEachColumn([&](const char*, trace::Encoding, auto, auto member) {
        for (std::size_t i = 0; i < count; ++i) {
            (kept.*member).push_back((columns.*member)[i]);
        }
    });
    columns = std::move(kept);
}

template <class T>
void moveToEnd(std::vector<T>& to, std::vector<T>&& from)
{
    if (to.empty()) {
        to = std::move(from);
    } else {
        to.insert(to.end(), from.begin(), from.end());
    }
}

/// Parses a stream: a number, or "stream 7" of PyTorch 1.8.
std::optional<std::uint32_t> streamOf(std::string_view text)
{
    constexpr std::string_view kWord = "stream ";
    return values::parseNumber<std::uint32_t>(text.starts_with(kWord) ? text.substr(kWord.size()) : text);
}

/// Fills in times, device and stream of a row. Returns false if device or stream is missing.
template <class Row>
bool fillPlace(const Event& event, const Rows::Time& time, Row& row)
{
    const auto device = values::parseNumber<std::uint32_t>(event.device.empty() ? event.pid : event.device);
    const auto stream = streamOf(event.stream.empty() ? event.tid : event.stream);
    row.startNs = time.start;
    row.endNs = time.end;
    row.device = device.value_or(0);
    row.stream = stream.value_or(0);
    return device && stream;
}

} // namespace

void Counts::add(const Counts& other)
{
    for (const auto member : {&Counts::events, &Counts::implausible, &Counts::incomplete,
                              &Counts::otherProcess, &Counts::hostAllocations, &Counts::pythonBeyond,
                              &Counts::instants, &Counts::counters, &Counts::flows, &Counts::unknownPhases}) {
        this->*member += other.*member;
    }
    for (std::size_t i = 0; i < kCategories; ++i) {
        categories[i] += other.categories[i];
    }
    for (const auto& [kind, count] : other.others) {
        others[kind] += count;
    }
}

void Rows::add(const Event& event)
{
    ++counts.events;
    switch (event.phase.size() == 1 ? event.phase.front() : '\0') {
    case 'X':
        addComplete(event);
        return;
    case 'B':
    case 'E':
        addHalf(event);
        return;
    case 'M':
        addName(event);
        return;
    case 's':
    case 't':
    case 'f': // flows repeat what the correlation ids contain
        ++counts.flows;
        return;
    case 'i':
    case 'I':
        addInstant(event);
        return;
    case 'C':
        ++counts.counters;
        return;
    default:
        ++counts.unknownPhases;
    }
}

std::optional<Rows::Time> Rows::timeOf(const Event& event)
{
    const auto start = parseMicroseconds(event.time);
    const auto duration =
        event.duration.empty() ? std::optional<std::int64_t>(0) : parseMicroseconds(event.duration);
    if (!start || !duration || *start < 0 || *start > trace::kFarthestDateNs || *duration < 0 ||
        *duration > trace::kFarthestTimeNs) {
        ++counts.implausible;
        return std::nullopt;
    }
    return Time{*start, *start + *duration};
}

void Rows::addComplete(const Event& event)
{
    if (event.category != m_lastCategory) {
        m_lastCategory = event.category;
        m_lastMeaning = categoryOf(event.category);
    }
    const Category category = m_lastMeaning;
    ++counts.categories[static_cast<std::size_t>(category)];
    if (category > Category::PythonFunction) {
        return;
    }
    const auto time = timeOf(event);
    if (!time) {
        return;
    }
    switch (category) {
    case Category::Kernel:
        addKernel(event, *time);
        return;
    case Category::Copy:
    case Category::Set:
        addCopy(event, *time, category);
        return;
    case Category::ApiCall:
        addApiCall(event, *time);
        return;
    case Category::PythonFunction:
        addPythonCall(event, *time);
        return;
    default:
        addRange(event, *time);
    }
}

void Rows::addKernel(const Event& event, const Time& time)
{
    trace::KernelRow row;
    if (!fillPlace(event, time, row)) {
        ++counts.incomplete;
        return;
    }
    row.name = names.idOf(event.name);
    row.correlation = values::parseNumber<std::uint32_t>(event.correlation).value_or(0);
    row.graph = values::parseNumber<std::uint32_t>(event.graph).value_or(0);
    row.graphNode = values::parseNumber<std::uint64_t>(event.graphNode).value_or(0);
    row.configuration = configurations.idOf(row.name, event.launch);
    push(kernels, row);
    if (!event.collective.name.empty()) {
        addCollective(event, time, -1);
    }
}

void Rows::addCopy(const Event& event, const Time& time, Category category)
{
    trace::CopyRow row;
    if (!fillPlace(event, time, row)) {
        ++counts.incomplete;
        return;
    }
    row.bytes = values::parseNumber<std::uint64_t>(event.bytes).value_or(0);
    row.correlation = values::parseNumber<std::uint32_t>(event.correlation).value_or(0);
    row.kind = category == Category::Set ? trace::kSetKind : copyKind(event.name);
    row.hostMemory = hostMemory(row.kind, event.name);
    row.graph = values::parseNumber<std::uint32_t>(event.graph).value_or(0);
    row.graphNode = values::parseNumber<std::uint64_t>(event.graphNode).value_or(0);
    push(copies, row);
}

/// Finds the thread of a host event; false if it has none. Events of a second process are counted, because
/// they would need a trace of their own.
bool Rows::isHost(const Event& event, std::int64_t& tid)
{
    if (pid.empty()) {
        pid = event.pid;
    }
    counts.otherProcess += event.pid == pid ? 0 : 1;
    if (event.tid != m_lastTid || m_lastTid.empty()) {
        const auto number = values::parseNumber<std::int64_t>(event.tid);
        if (!number) {
            return false;
        }
        m_lastTid = event.tid;
        m_lastTidNumber = *number;
    }
    tid = m_lastTidNumber;
    return true;
}

bool Rows::isLaunch(trace::StringId api)
{
    if (api >= m_launchesOf.size()) {
        m_launchesOf.resize(std::max<std::size_t>(names.size(), 2 * m_launchesOf.size()), -1);
    }
    if (m_launchesOf[api] < 0) {
        m_launchesOf[api] = trace::launchesDeviceWork(names.text(api)) ? 1 : 0;
    }
    return m_launchesOf[api] != 0;
}

void Rows::addApiCall(const Event& event, const Time& time)
{
    std::int64_t tid = 0;
    if (!isHost(event, tid)) {
        ++counts.incomplete;
        return;
    }
    const trace::StringId api = names.idOf(event.name);
    trace::ApiCallRow call;
    call.startNs = time.start;
    call.endNs = time.end;
    call.api = api;
    call.thread = static_cast<std::uint32_t>(tid);
    push(apiCalls, call);
    const auto correlation = values::parseNumber<std::uint32_t>(event.correlation);
    const auto bytes = values::parseNumber<std::uint64_t>(event.bytes);
    if (correlation && bytes) {
        callBytes.try_emplace(*correlation, *bytes);
    }
    if (correlation && isLaunch(api)) {
        push(launches,
             trace::LaunchRow{time.start, time.end, api, static_cast<std::uint32_t>(tid), *correlation});
    }
}

void Rows::addRange(const Event& event, const Time& time)
{
    std::int64_t tid = 0;
    if (!isHost(event, tid)) {
        ++counts.incomplete;
        return;
    }
    trace::RangeRow row;
    row.name = names.idOf(event.name);
    row.domain = names.idOf(event.category);
    row.startNs = time.start;
    row.endNs = time.end;
    row.thread = tid;
    ranges.push_back(row);
    if (!event.arguments.shapes.empty() && flops::hasFormula(event.name)) {
        addOperator(event, row);
    }
    if (!event.collective.name.empty()) {
        addCollective(event, time, tid);
    }
}

void Rows::addOperator(const Event& event, const trace::RangeRow& row)
{
    push(operators,
         trace::OperatorRow{row.startNs, row.endNs, row.name, static_cast<std::uint32_t>(row.thread),
                            names.idOf(event.arguments.shapes), names.idOf(event.arguments.types),
                            names.idOf(event.arguments.inputs)});
}

void Rows::addPythonCall(const Event& event, const Time& time)
{
    std::int64_t tid = 0;
    if (pythonCalls.size() >= kMostPythonCalls) {
        ++counts.pythonBeyond;
    } else if (isHost(event, tid)) {
        push(pythonCalls, trace::PythonCallRow{time.start, time.end, names.idOf(event.name),
                                               static_cast<std::uint32_t>(tid)});
    } else {
        ++counts.incomplete;
    }
}

/// Takes what the allocators of GPUs hold. Old versions of PyTorch only wrote the size of each allocation;
/// what is held cannot be known from these, as the profile does not begin with the process.
void Rows::addInstant(const Event& event)
{
    constexpr std::uint32_t kMostDevices = 1024; // of a host; more mean damage
    constexpr std::int64_t kMostBytes = std::int64_t{1} << 50U;
    const AllocatorTexts& texts = event.allocator;
    const auto bytesOf = [](std::string_view text) {
        const auto bytes = values::parseNumber<std::int64_t>(text);
        return bytes && *bytes >= 0 && *bytes <= kMostBytes ? bytes : std::nullopt; // -1: not known
    };
    const auto device = values::parseNumber<std::uint32_t>(texts.device); // the CPU's is -1
    Allocation row{0, device.value_or(0), bytesOf(texts.allocated), bytesOf(texts.reserved)};
    if (event.name != "[memory]" || (!row.allocatedBytes && !row.reservedBytes)) {
        ++counts.instants;
        return;
    }
    if (texts.deviceType == "0" || !device) {
        ++counts.hostAllocations;
        return;
    }
    const auto time = timeOf(event);
    if (time && *device < kMostDevices) {
        row.timeNs = time->start;
        allocations.push_back(row);
    } else {
        counts.incomplete += time ? 1 : 0;
    }
}

void Rows::addHalf(const Event& event)
{
    std::int64_t tid = 0;
    const auto time = timeOf(event);
    if (!time) {
        return;
    }
    if (!isHost(event, tid)) {
        ++counts.incomplete;
        return;
    }
    halves.push_back(
        {time->start, tid, names.idOf(event.name), names.idOf(event.category), event.phase == "B"});
}

void Rows::addCollective(const Event& event, const Time& time, std::int64_t tid)
{
    const CollectiveTexts& texts = event.collective;
    Collective row;
    row.startNs = time.start;
    row.endNs = time.end;
    row.correlation = values::parseNumber<std::uint32_t>(event.correlation).value_or(0);
    row.tid = tid;
    row.name = names.idOf(texts.name);
    row.datatype = names.idOf(texts.datatype);
    row.group = names.idOf(texts.group);
    row.groupDescription = names.idOf(texts.groupDescription);
    row.groupRanks = names.idOf(texts.groupRanks);
    row.inElements = values::parseNumber<std::uint64_t>(texts.inElements);
    row.outElements = values::parseNumber<std::uint64_t>(texts.outElements);
    row.groupSize = values::parseNumber<std::int64_t>(texts.groupSize);
    row.sequence = values::parseNumber<std::int64_t>(texts.sequence);
    row.source = values::parseNumber<std::int64_t>(texts.source);
    row.destination = values::parseNumber<std::int64_t>(texts.destination);
    collectives.push_back(row);
}

void Rows::addName(const Event& event)
{
    constexpr std::size_t kMostNames = 1U << 16U; // a damaged or hostile file may name any number of threads
    if (event.name == "thread_name" && threadNames.size() < kMostNames) {
        if (const auto tid = values::parseNumber<std::int64_t>(event.tid)) {
            threadNames[*tid] = plainText(event.label);
        }
    } else if (event.name == "process_name" && processNames.size() < kMostNames) {
        processNames[std::string(event.pid)] = plainText(event.label);
    }
}

void Rows::append(Rows&& other)
{
    std::vector<trace::StringId> ids(other.names.size());
    for (trace::StringId id = 1; id < ids.size(); ++id) {
        ids[id] = names.idOf(other.names.text(id));
    }
    const auto renamed = [&](trace::StringId id) { return ids[id]; };
    other.kernels.name.transform(renamed);
    const std::vector<std::uint32_t> configurationIds = configurations.append(other.configurations, ids);
    other.kernels.configuration.transform([&](std::uint32_t id) { return configurationIds[id]; });
    other.apiCalls.api.transform(renamed);
    other.launches.api.transform(renamed);
    other.pythonCalls.name.transform(renamed);
    for (const auto member : {&trace::OperatorColumns::name, &trace::OperatorColumns::shapes,
                              &trace::OperatorColumns::types, &trace::OperatorColumns::inputs}) {
        (other.operators.*member).transform(renamed);
    }
    for (trace::RangeRow& row : other.ranges) {
        row.name = renamed(row.name);
        row.domain = renamed(row.domain);
    }
    for (HalfRange& half : other.halves) {
        half.name = renamed(half.name);
        half.category = renamed(half.category);
    }
    for (Collective& row : other.collectives) {
        for (const auto member : {&Collective::name, &Collective::datatype, &Collective::group,
                                  &Collective::groupDescription, &Collective::groupRanks}) {
            row.*member = renamed(row.*member);
        }
    }
    trace::appendColumns<trace::KernelRow>(kernels, std::move(other.kernels));
    trace::appendColumns<trace::CopyRow>(copies, std::move(other.copies));
    trace::appendColumns<trace::ApiCallRow>(apiCalls, std::move(other.apiCalls));
    trace::appendColumns<trace::LaunchRow>(launches, std::move(other.launches));
    trace::appendColumns<trace::OperatorRow>(operators, std::move(other.operators));
    const std::size_t room = kMostPythonCalls - std::min(kMostPythonCalls, pythonCalls.size());
    if (other.pythonCalls.size() > room) {
        other.counts.pythonBeyond += static_cast<std::int64_t>(other.pythonCalls.size() - room);
        keepFirst<trace::PythonCallRow>(other.pythonCalls, room);
    }
    trace::appendColumns<trace::PythonCallRow>(pythonCalls, std::move(other.pythonCalls));
    moveToEnd(allocations, std::move(other.allocations));
    moveToEnd(ranges, std::move(other.ranges));
    moveToEnd(halves, std::move(other.halves));
    moveToEnd(collectives, std::move(other.collectives));
    callBytes.merge(other.callBytes);
    threadNames.merge(other.threadNames);
    processNames.merge(other.processNames);
    counts.otherProcess += !pid.empty() && !other.pid.empty() && pid != other.pid ? 1 : 0;
    pid = pid.empty() ? other.pid : pid;
    counts.add(other.counts);
}

} // namespace ringside::importers::kineto
