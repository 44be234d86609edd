// SPDX-License-Identifier: Apache-2.0
// Samples the GPUs that this process uses, through NVML: utilization, clocks and why they are reduced,
// power, temperature, errors. GPUs are found by bus id, because CUDA_VISIBLE_DEVICES changes indices.
// Each process samples only its own, so that eight ranks on a machine do not each query all. A value
// that a GPU refuses is not queried again, and the reason is kept.
#pragma once
#include "host/nvml/library.h"
#include "sampled/source.h"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ringside::collector::sampled {

namespace nvml = host::nvml;

struct GpuName {
    std::int64_t ordinal = 0; ///< CUDA's
    std::string busId;
    std::string uuid;
};

class Nvml final : public Source {
public:
    Nvml();
    ~Nvml() override;
    /// Adds a GPU. Only this function may be called by other threads.
    void addGpu(const GpuName& gpu);

    [[nodiscard]] const char* name() const override { return "nvml"; }
    void load() override;
    void open() override;
    void read(Readings& readings, Pace pace) override;
    [[nodiscard]] std::string reason() const override { return m_reason; }
    void close() override;

private:
    struct Gpu;

    void takeNewGpus(Readings& readings);
    void find(const GpuName& name, Readings& readings);
    void readSingles(Gpu& gpu, Readings& readings, Pace pace);
    void readFields(Gpu& gpu, Readings& readings, Pace pace);
    void readEvents(Readings& readings);
    void refuse(Gpu& gpu, Series& series, nvml::Result result, Readings& readings) const;
    static void lose(Gpu& gpu, const std::string& why, Readings& readings);

    nvml::Library m_library;
    bool m_loaded = false;
    std::string m_reason = "it has not begun";
    nvml::EventSet m_events = nullptr;
    std::vector<std::unique_ptr<Gpu>> m_gpus;
    std::mutex m_mutex;
    std::vector<GpuName> m_newGpus;
};

} // namespace ringside::collector::sampled
