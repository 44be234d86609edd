// SPDX-License-Identifier: Apache-2.0
#include "sampled/nvml.h"

#include <ringside/trace/xid.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

namespace ringside::collector::sampled {
namespace {

using trace::SeriesName;

enum class Often : std::uint8_t { EveryTick, OnceASecond, Once };

/// What gives one or two values.
struct Question {
    nvml::Result (*ask)(const nvml::Library& library, nvml::Device device,
                        std::array<std::uint64_t, 2>& values) = nullptr;
    std::array<std::optional<SeriesName>, 2> names{}; ///< the second may be null
    Often often = Often::EveryTick;
};

template <int kType>
nvml::Result askClock(const nvml::Library& library, nvml::Device device, std::array<std::uint64_t, 2>& values)
{
    unsigned mhz = 0;
    const nvml::Result result = nvml::callIfThere(library.clock, device, kType, &mhz);
    values[0] = mhz;
    return result;
}

template <int kType>
nvml::Result askMaxClock(const nvml::Library& library, nvml::Device device,
                         std::array<std::uint64_t, 2>& values)
{
    unsigned mhz = 0;
    const nvml::Result result = nvml::callIfThere(library.maxClock, device, kType, &mhz);
    values[0] = mhz;
    return result;
}

nvml::Result askUtilization(const nvml::Library& library, nvml::Device device,
                            std::array<std::uint64_t, 2>& values)
{
    nvml::Utilization utilization{};
    const nvml::Result result = nvml::callIfThere(library.utilization, device, &utilization);
    values = {utilization.gpu, utilization.memory};
    return result;
}

// The newer form counts what the driver keeps for itself apart.
nvml::Result askMemory(const nvml::Library& library, nvml::Device device,
                       std::array<std::uint64_t, 2>& values)
{
    if (library.memoryV2 != nullptr) {
        nvml::MemoryV2 memory{nvml::MemoryV2::kVersion, 0, 0, 0, 0};
        const nvml::Result result = library.memoryV2(device, &memory);
        values[0] = memory.used;
        return result;
    }
    nvml::Memory memory{};
    const nvml::Result result = nvml::callIfThere(library.memory, device, &memory);
    values[0] = memory.used;
    return result;
}

nvml::Result askReasons(const nvml::Library& library, nvml::Device device,
                        std::array<std::uint64_t, 2>& values)
{
    unsigned long long reasons = 0;
    const nvml::Result result = nvml::callIfThere(library.clockReasons, device, &reasons);
    values[0] = reasons;
    return result;
}

nvml::Result askPower(const nvml::Library& library, nvml::Device device, std::array<std::uint64_t, 2>& values)
{
    unsigned milliwatts = 0;
    const nvml::Result result = nvml::callIfThere(library.power, device, &milliwatts);
    values[0] = milliwatts;
    return result;
}

nvml::Result askTemperature(const nvml::Library& library, nvml::Device device,
                            std::array<std::uint64_t, 2>& values)
{
    unsigned celsius = 0;
    const nvml::Result result =
        nvml::callIfThere(library.temperature, device, nvml::kTemperatureGpu, &celsius);
    values[0] = celsius;
    return result;
}

nvml::Result askSlowdown(const nvml::Library& library, nvml::Device device,
                         std::array<std::uint64_t, 2>& values)
{
    unsigned celsius = 0;
    const nvml::Result result =
        nvml::callIfThere(library.temperatureThreshold, device, nvml::kThresholdSlowdown, &celsius);
    values[0] = celsius;
    return result;
}

using PcieFunction = nvml::Result (*nvml::Library::*)(nvml::Device, unsigned*);

template <PcieFunction kGeneration, PcieFunction kLanes>
nvml::Result askPcie(const nvml::Library& library, nvml::Device device, std::array<std::uint64_t, 2>& values)
{
    unsigned generation = 0;
    unsigned lanes = 0;
    const nvml::Result first = nvml::callIfThere(library.*kGeneration, device, &generation);
    const nvml::Result second = nvml::callIfThere(library.*kLanes, device, &lanes);
    values = {generation, lanes};
    return first != nvml::kSuccess ? first : second;
}

// A GPU has links up to the first number that it refuses.
nvml::Result askLinks(const nvml::Library& library, nvml::Device device, std::array<std::uint64_t, 2>& values)
{
    for (unsigned link = 0; link < nvml::kMostLinks; ++link) {
        int state = 0;
        const nvml::Result result = nvml::callIfThere(library.linkState, device, link, &state);
        if (result != nvml::kSuccess) {
            return link == 0 || result == nvml::kGpuIsLost ? result : nvml::kSuccess;
        }
        ++values[state == nvml::kEnabled ? 0 : 1];
    }
    return nvml::kSuccess;
}

nvml::Result askPersistence(const nvml::Library& library, nvml::Device device,
                            std::array<std::uint64_t, 2>& values)
{
    int mode = 0;
    const nvml::Result result = nvml::callIfThere(library.persistence, device, &mode);
    values[0] = mode == nvml::kEnabled ? 1 : 0;
    return result;
}

// Whether the fabric manager has let the GPU into the fabric of NVSwitches; older libraries cannot tell.
nvml::Result askFabric(const nvml::Library& library, nvml::Device device,
                       std::array<std::uint64_t, 2>& values)
{
    nvml::FabricInfo info{};
    const nvml::Result result = nvml::callIfThere(library.fabric, device, &info);
    values = {info.state, static_cast<std::uint64_t>(info.status)};
    return result;
}

constexpr std::array<Question, 15> kQuestions{{
    {&askUtilization, {SeriesName::GpuUtilization, SeriesName::MemoryUtilization}},
    {&askMemory, {SeriesName::MemoryUsed, std::nullopt}},
    {&askClock<nvml::kClockSm>, {SeriesName::SmClock, std::nullopt}},
    {&askClock<nvml::kClockMemory>, {SeriesName::MemoryClock, std::nullopt}},
    {&askReasons, {SeriesName::ClockEventReasons, std::nullopt}},
    {&askPower, {SeriesName::Power, std::nullopt}},
    {&askTemperature, {SeriesName::Temperature, std::nullopt}},
    {&askMaxClock<nvml::kClockSm>, {SeriesName::SmClockMax, std::nullopt}, Often::Once},
    {&askMaxClock<nvml::kClockMemory>, {SeriesName::MemoryClockMax, std::nullopt}, Often::Once},
    {&askSlowdown, {SeriesName::TemperatureSlowdown, std::nullopt}, Often::Once},
    {&askPcie<&nvml::Library::pcieGeneration, &nvml::Library::pcieLanes>,
     {SeriesName::PcieGeneration, SeriesName::PcieLanes},
     Often::OnceASecond},
    {&askPcie<&nvml::Library::pcieMostGeneration, &nvml::Library::pcieMostLanes>,
     {SeriesName::PcieGenerationMax, SeriesName::PcieLanesMax},
     Often::Once},
    {&askLinks, {SeriesName::NvlinkLinksUp, SeriesName::NvlinkLinksDown}, Often::OnceASecond},
    {&askPersistence, {SeriesName::PersistenceMode, std::nullopt}, Often::Once},
    {&askFabric, {SeriesName::FabricState, SeriesName::FabricStatus}, Often::Once},
}};

struct FieldQuestion {
    unsigned field = 0;
    unsigned scope = 0;
    SeriesName name = {};
    Often often = Often::EveryTick;
    bool isBer = false; ///< a bit error rate, encoded
};
// NVLink counters are those of all links together.
constexpr std::array<FieldQuestion, 29> kFields{{
    {nvml::kFieldPowerInstant, 0, SeriesName::PowerInstant},
    {nvml::kFieldEnergy, 0, SeriesName::Energy},
    {nvml::kFieldMemoryTemperature, 0, SeriesName::MemoryTemperature},
    {nvml::kFieldPcieReplays, 0, SeriesName::PcieReplays},
    {nvml::kFieldEccCorrected, 0, SeriesName::EccCorrectedErrors},
    {nvml::kFieldEccUncorrected, 0, SeriesName::EccUncorrectedErrors},
    {nvml::kFieldPowerViolation, 0, SeriesName::PowerViolation},
    {nvml::kFieldThermalViolation, 0, SeriesName::ThermalViolation},
    {nvml::kFieldRetiredCorrected, 0, SeriesName::RetiredPagesCorrected, Often::OnceASecond},
    {nvml::kFieldRetiredUncorrected, 0, SeriesName::RetiredPagesUncorrected, Often::OnceASecond},
    {nvml::kFieldRetiredPending, 0, SeriesName::RetiredPagesPending, Often::OnceASecond},
    {nvml::kFieldRemappedCorrected, 0, SeriesName::RemappedRowsCorrected, Often::OnceASecond},
    {nvml::kFieldRemappedUncorrected, 0, SeriesName::RemappedRowsUncorrected, Often::OnceASecond},
    {nvml::kFieldRemapPending, 0, SeriesName::RowRemapPending, Often::OnceASecond},
    {nvml::kFieldRemapFailed, 0, SeriesName::RowRemapFailed, Often::OnceASecond},
    {nvml::kFieldNvlinkDataTx, nvml::kAllLinks, SeriesName::NvlinkTx},
    {nvml::kFieldNvlinkDataRx, nvml::kAllLinks, SeriesName::NvlinkRx},
    {nvml::kFieldNvlinkCrcFlits, 0, SeriesName::NvlinkCrcFlitErrors},
    {nvml::kFieldNvlinkCrcData, 0, SeriesName::NvlinkCrcDataErrors},
    {nvml::kFieldNvlinkReplays, 0, SeriesName::NvlinkReplays},
    {nvml::kFieldNvlinkRecoveries, 0, SeriesName::NvlinkRecoveries},
    {nvml::kFieldNvlink5TxBytes, nvml::kAllLinks, SeriesName::Nvlink5Tx},
    {nvml::kFieldNvlink5RxBytes, nvml::kAllLinks, SeriesName::Nvlink5Rx},
    {nvml::kFieldNvlink5Recovered, nvml::kAllLinks, SeriesName::Nvlink5Recoveries},
    {nvml::kFieldNvlink5NotRecovered, nvml::kAllLinks, SeriesName::Nvlink5FailedRecoveries},
    {nvml::kFieldNvlink5EffectiveErrors, nvml::kAllLinks, SeriesName::Nvlink5EffectiveErrors},
    {nvml::kFieldNvlink5SymbolErrors, nvml::kAllLinks, SeriesName::Nvlink5SymbolErrors},
    {nvml::kFieldNvlink5EffectiveBer, nvml::kAllLinks, SeriesName::Nvlink5EffectiveBer, Often::OnceASecond,
     true},
    {nvml::kFieldNvlink5SymbolBer, nvml::kAllLinks, SeriesName::Nvlink5SymbolBer, Often::OnceASecond, true},
}};

bool isDue(Often often, Pace pace)
{
    return often != Often::OnceASecond || pace == Pace::OnceASecond;
}

/// Refusals that asking again will not change.
bool isFinal(nvml::Result result)
{
    return result == nvml::kNotSupported || result == nvml::kFunctionNotFound ||
           result == nvml::kInvalidArgument || result == nvml::kNoPermission;
}

/// Nothing for a type that this version does not know.
std::optional<std::int64_t> integerIn(const nvml::FieldValue& value)
{
    switch (value.valueType) {
    case nvml::kUnsigned:
        return value.value.natural;
    case nvml::kUnsignedLong:
    case nvml::kUnsignedLongLong:
        return static_cast<std::int64_t>(value.value.count);
    case nvml::kSignedLongLong:
        return value.value.wide;
    case nvml::kSigned:
        return value.value.integer;
    default:
        return std::nullopt;
    }
}

/// A bit error rate as errors in 1e18 bits: one is far below any that matters, and 63 bits hold 9.
std::int64_t berPer1e18(std::int64_t encoded)
{
    constexpr unsigned kScale = 18;
    constexpr std::int64_t kTen = 10;
    const auto bits = static_cast<std::uint64_t>(encoded);
    auto errors = static_cast<std::int64_t>((bits >> nvml::kBerMantissaShift) & nvml::kBerMantissaMask);
    const auto exponent = static_cast<unsigned>(bits & nvml::kBerExponentMask);
    for (unsigned place = exponent; place < kScale; ++place) {
        if (__builtin_mul_overflow(errors, kTen, &errors)) {
            return std::numeric_limits<std::int64_t>::max();
        }
    }
    for (unsigned place = kScale; place < exponent && errors != 0; ++place) {
        errors /= kTen;
    }
    return errors;
}

} // namespace

struct Nvml::Gpu {
    struct Single {
        const Question* question = nullptr;
        std::array<Series, 2> series;
        bool done = false; ///< not asked any more
    };
    struct Field {
        const FieldQuestion* question = nullptr;
        Series series;
    };
    Gpu(std::int64_t ordinal, nvml::Device handle);

    nvml::Device device;
    bool lost = false;
    bool fresh = true; ///< not read yet: what is asked once a second is asked now
    std::array<Single, kQuestions.size()> singles;
    std::array<Field, kFields.size()> fields;
    std::vector<Field*> asked; ///< of `fields`, those that are still asked
    std::vector<Field*> due;   ///< of those, the ones of this tick
    std::vector<nvml::FieldValue> values;
    Series xid;
};

Nvml::Gpu::Gpu(std::int64_t ordinal, nvml::Device handle) : device(handle)
{
    const std::string entity = "gpu" + std::to_string(ordinal);
    for (std::size_t index = 0; index < singles.size(); ++index) {
        const Question& question = kQuestions[index];
        singles[index] = {&question, {{{entity, question.names[0]}, {entity, question.names[1]}}}};
    }
    for (std::size_t index = 0; index < fields.size(); ++index) {
        const FieldQuestion& question = kFields[index];
        fields[index] = {&question, {entity, question.name}};
        asked.push_back(&fields[index]);
    }
    xid = {entity, SeriesName::Xid};
}

Nvml::Nvml() = default;
Nvml::~Nvml() = default;

void Nvml::addGpu(const GpuName& gpu)
{
    const std::scoped_lock lock(m_mutex);
    m_newGpus.push_back(gpu);
}

void Nvml::load()
{
    m_loaded = m_library.load();
}

void Nvml::open()
{
    if (!m_loaded) {
        m_reason = m_library.reason.empty() ? "memory is out" : m_library.reason;
        return;
    }
    if (const nvml::Result result = m_library.init(); result != nvml::kSuccess) {
        m_reason = "nvmlInit: " + m_library.text(result);
        return;
    }
    m_reason.clear();
    if (nvml::callIfThere(m_library.eventSetCreate, &m_events) != nvml::kSuccess) {
        m_events = nullptr;
    }
}

void Nvml::close()
{
    if (!m_reason.empty()) {
        return;
    }
    if (m_events != nullptr) {
        nvml::callIfThere(m_library.eventSetFree, m_events);
    }
    nvml::callIfThere(m_library.shutdown);
}

void Nvml::read(Readings& readings, Pace pace)
{
    if (!m_reason.empty()) {
        return;
    }
    takeNewGpus(readings);
    for (const auto& gpu : m_gpus) {
        const Pace own = std::exchange(gpu->fresh, false) ? Pace::OnceASecond : pace;
        readings.beginMoment();
        if (!gpu->lost) {
            readSingles(*gpu, readings, own);
        }
        if (!gpu->lost) {
            readFields(*gpu, readings, own);
        }
    }
    readings.beginMoment();
    readEvents(readings);
}

void Nvml::takeNewGpus(Readings& readings)
{
    std::vector<GpuName> fresh;
    {
        const std::scoped_lock lock(m_mutex);
        fresh.swap(m_newGpus);
    }
    for (const GpuName& name : fresh) {
        find(name, readings);
    }
}

void Nvml::find(const GpuName& name, Readings& readings)
{
    nvml::Device device = nullptr;
    nvml::Result result = m_library.deviceByBusId(name.busId.c_str(), &device);
    if (result != nvml::kSuccess) {
        result = nvml::callIfThere(m_library.deviceByUuid, name.uuid.c_str(), &device);
    }
    if (result != nvml::kSuccess) {
        readings.report({trace::Issue::GpuNotSampled, 1,
                         "NVML does not know GPU " + std::to_string(name.ordinal) + " (" + name.busId +
                             "): " + m_library.text(result)});
        return;
    }
    m_gpus.push_back(std::make_unique<Gpu>(name.ordinal, device));
    Gpu& gpu = *m_gpus.back();
    const nvml::Result events =
        m_events != nullptr ? nvml::callIfThere(m_library.registerEvents, device, nvml::kEventXid, m_events)
                            : nvml::kNotSupported;
    if (events != nvml::kSuccess) {
        readings.end(gpu.xid, m_library.text(events));
    }
}

void Nvml::readSingles(Gpu& gpu, Readings& readings, Pace pace)
{
    for (Gpu::Single& single : gpu.singles) {
        if (single.done || gpu.lost || !isDue(single.question->often, pace)) {
            continue;
        }
        std::array<std::uint64_t, 2> values{};
        const nvml::Result result = single.question->ask(m_library, gpu.device, values);
        single.done = isFinal(result) || (single.question->often == Often::Once && result == nvml::kSuccess);
        for (std::size_t index = 0; index < values.size() && single.question->names[index]; ++index) {
            if (result == nvml::kSuccess) {
                readings.add(single.series[index], values[index]);
            } else {
                refuse(gpu, single.series[index], result, readings);
            }
        }
    }
}

// All in one call: each goes to the driver, and the driver to the GPU.
void Nvml::readFields(Gpu& gpu, Readings& readings, Pace pace)
{
    gpu.due.clear();
    std::ranges::copy_if(gpu.asked, std::back_inserter(gpu.due),
                         [pace](const Gpu::Field* field) { return isDue(field->question->often, pace); });
    if (gpu.due.empty()) {
        return;
    }
    gpu.values.assign(gpu.due.size(), {});
    for (std::size_t index = 0; index < gpu.due.size(); ++index) {
        gpu.values[index].field = gpu.due[index]->question->field;
        gpu.values[index].scope = gpu.due[index]->question->scope;
    }
    const nvml::Result whole = nvml::callIfThere(m_library.fields, gpu.device,
                                                 static_cast<int>(gpu.values.size()), gpu.values.data());
    for (std::size_t index = 0; index < gpu.values.size(); ++index) {
        Gpu::Field& field = *gpu.due[index];
        const nvml::Result result = whole != nvml::kSuccess ? whole : gpu.values[index].result;
        const auto value = result == nvml::kSuccess ? integerIn(gpu.values[index]) : std::nullopt;
        if (value) {
            readings.add(field.series, field.question->isBer ? berPer1e18(*value) : *value);
        } else {
            refuse(gpu, field.series, result == nvml::kSuccess ? nvml::kNotSupported : result, readings);
        }
        if (!value && isFinal(result)) {
            std::erase(gpu.asked, &field);
        }
    }
}

void Nvml::refuse(Gpu& gpu, Series& series, nvml::Result result, Readings& readings) const
{
    const std::string text = m_library.text(result);
    if (result == nvml::kGpuIsLost) {
        lose(gpu, text, readings);
    } else if (isFinal(result)) {
        readings.end(series, text);
    } else {
        readings.miss(series, "at times: " + text);
    }
}

// Each series that is still asked ends for this reason, not only the one that happened to be asked first, and
// that of the events.
void Nvml::lose(Gpu& gpu, const std::string& why, Readings& readings)
{
    if (std::exchange(gpu.lost, true)) {
        return;
    }
    readings.report({trace::Issue::GpuLost, 1,
                     gpu.xid.entity + " does not answer any more (" + why +
                         "): it needs a reset, see the kernel's log for its XID"});
    for (Gpu::Single& single : gpu.singles) {
        for (Series& series : single.series) {
            if (!single.done && series.name) {
                readings.end(series, why);
            }
        }
    }
    for (Gpu::Field* const field : gpu.asked) {
        readings.end(field->series, why);
    }
    readings.end(gpu.xid, why);
}

void Nvml::readEvents(Readings& readings)
{
    constexpr int kMostAtOnce = 16;
    nvml::EventData event{};
    for (int seen = 0; m_events != nullptr && seen < kMostAtOnce; ++seen) {
        if (nvml::callIfThere(m_library.eventWait, m_events, &event, 0U) != nvml::kSuccess) {
            return; // none is a timeout; what else may be wrong ends like it, and is asked again
        }
        const auto gpu =
            std::ranges::find_if(m_gpus, [&](const auto& known) { return known->device == event.device; });
        if (gpu == m_gpus.end() || event.type != nvml::kEventXid) {
            continue;
        }
        const std::string number = std::to_string(event.data);
        readings.add((*gpu)->xid, static_cast<std::uint64_t>(event.data));
        const bool fatal = trace::isFatalXid(static_cast<std::int64_t>(event.data));
        readings.report({fatal ? trace::Issue::GpuXidFatal : trace::Issue::GpuXid, 1,
                         (*gpu)->xid.entity + " reported XID " + number +
                             ": what it means stands in NVIDIA's XID catalogue",
                         number});
    }
}

} // namespace ringside::collector::sampled
