// SPDX-License-Identifier: Apache-2.0
#include "sampled/nvml.h"

#include "sampled/nvml_fields.h"

#include <ringside/trace/xid.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <utility>

namespace ringside::collector::sampled {
namespace {

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

} // namespace

struct Nvml::Gpu {
    struct Single {
        const NvmlQuestion* question = nullptr;
        std::array<Series, 2> series;
        bool done = false; ///< not asked any more
    };
    struct Field {
        const NvmlField* question = nullptr;
        Series series;
    };
    Gpu(std::int64_t ordinal, nvml::Device handle);

    nvml::Device device;
    bool lost = false;
    bool fresh = true; ///< not read yet: what is asked once a second is asked now
    std::array<Single, kNvmlQuestions.size()> singles;
    std::array<Field, kNvmlFields.size()> fields;
    std::vector<Field*> asked; ///< of `fields`, those that are still asked
    std::vector<Field*> due;   ///< of those, the ones of this tick
    std::vector<nvml::FieldValue> values;
    Series xid;
};

Nvml::Gpu::Gpu(std::int64_t ordinal, nvml::Device handle) : device(handle)
{
    const std::string entity = "gpu" + std::to_string(ordinal);
    for (std::size_t index = 0; index < singles.size(); ++index) {
        const NvmlQuestion& question = kNvmlQuestions[index];
        singles[index] = {&question, {{{entity, question.names[0]}, {entity, question.names[1]}}}};
    }
    for (std::size_t index = 0; index < fields.size(); ++index) {
        const NvmlField& question = kNvmlFields[index];
        fields[index] = {&question, {entity, question.name}};
        asked.push_back(&fields[index]);
    }
    xid = {entity, trace::SeriesName::Xid};
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
