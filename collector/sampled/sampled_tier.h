// SPDX-License-Identifier: Apache-2.0
// The part of the sampled tier that runs on the drain thread. It starts the samplers, writes what they
// report into the trace, and ends them within a bounded time. NVML has a separate thread, because its
// calls may block for ever if the driver hangs, and the other values matter most then. It starts when
// the program uses its first GPU. RDMA ports have a thread too, if there are any.
#pragma once
#include "device/platform_identity.h"
#include "record/session.h"
#include "sampled/nvml.h"
#include "sampled/once_a_host.h"
#include "sampled/sampler.h"

#include <memory>
#include <optional>

namespace ringside::collector::sampled {

class Tier final : public Participant {
public:
    /// `identity` comes earlier in the list of participants, and has the devices.
    explicit Tier(const PlatformIdentity& identity) : m_identity(identity) {}
    void begin(trace::Writer& writer, const Options& options) override;
    void pass(trace::Writer& writer, Registry& registry) override;
    void end(trace::Writer& writer, Registry& registry) override;
    void abandon() override;

private:
    /// `reason`: why there is none, or empty.
    struct Thread {
        Sampler* sampler = nullptr; ///< never freed
        std::string reason;
    };
    void start(Thread& thread, const char* name, std::vector<std::unique_ptr<Source>> sources,
               std::int64_t periodNs, Sampler::StartThread startThread = &startOwnThread);
    void startRdma(const Options& options);
    void addNewGpus(trace::Writer& writer);
    void takeRows(trace::Writer& writer);
    void stop(Thread& thread, trace::Writer& writer);
    void describe(trace::Writer& writer);

    const PlatformIdentity& m_identity;
    std::string m_sysfsRoot;
    std::int64_t m_periodNs = 0; ///< 0: not asked for
    std::int64_t m_startNs = 0;
    std::optional<std::int64_t> m_endNs;
    Thread m_host;
    Thread m_rdma;
    Thread m_gpu;
    Nvml* m_nvml = nullptr; ///< its sampler's
    std::size_t m_gpus = 0; ///< of the known ones, those that NVML was told of
    std::string m_described;
};

} // namespace ringside::collector::sampled
