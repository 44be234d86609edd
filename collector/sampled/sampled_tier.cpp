// SPDX-License-Identifier: Apache-2.0
#include "sampled/sampled_tier.h"

#include "host/network_facts.h"
#include "record/message.h"
#include "record/program_calls.h"
#include "sampled/cgroup.h"
#include "sampled/host_machine.h"
#include "sampled/host_network.h"
#include "sampled/host_process.h"
#include "sampled/host_snapshot.h"
#include "sampled/network.h"
#include "sampled/pause.h"
#include "sampled/queue_pairs.h"
#include "sampled/rdma.h"
#include "sampled/storage.h"
#include "sampled/tcp_peers.h"

#include <ringside/trace/tier_reason.h>
#include <ringside/trace/writer.h>

#include <algorithm>
#include <cctype>
#include <functional>
#include <utility>

namespace ringside::collector::sampled {
namespace {

std::vector<std::unique_ptr<Source>> hostSources(Registry& registry, const ProcessNames& names,
                                                 const std::string& sysfsRoot)
{
    // Never freed, as its sampler is not.
    auto* const lock = new HostLock(names.runDirectory + "/" + names.host + ".sampler", names.base);
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(std::make_unique<HostProcess>(registry));
    sources.push_back(std::make_unique<Storage>(registry));
    sources.push_back(std::make_unique<Cgroup>());
    sources.push_back(std::make_unique<TcpPeers>());
    sources.push_back(std::make_unique<OnceAHost>(std::make_unique<HostMachine>(), *lock));
    sources.push_back(std::make_unique<OnceAHost>(std::make_unique<Network>(), *lock));
    sources.push_back(std::make_unique<OnceAHost>(std::make_unique<HostNetwork>(sysfsRoot), *lock));
    sources.push_back(std::make_unique<HostSnapshot>(names));
    return sources;
}

std::vector<std::unique_ptr<Source>> snapshotAlone(const ProcessNames& names)
{
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(std::make_unique<HostSnapshot>(names));
    return sources;
}

/// CUDA writes addresses in capitals, sysfs in small letters.
std::string inSmallLetters(std::string text)
{
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

} // namespace

void Tier::begin(trace::Writer& writer, const Options& options)
{
    constexpr std::int64_t kNsAMs = 1'000'000;
    constexpr std::int64_t kSecondNs = 1'000'000'000;
    m_periodNs = options.sampleMs * kNsAMs;
    if (m_periodNs == 0) {
        writer.setTier({"sampled", false, "not asked for: RINGSIDE_SAMPLE_MS=0", std::nullopt, std::nullopt});
        start(m_host, "ringside-sample", snapshotAlone(processNames()), kSecondNs);
        return;
    }
    m_startNs = readClockNs(CLOCK_MONOTONIC);
    m_sysfsRoot = options.sysfsRoot;
    start(m_host, "ringside-sample", hostSources(registry(), processNames(), options.sysfsRoot), m_periodNs);
    startRdma(options);
    m_gpu.reason = "no GPU was used";
    describe(writer);
}

// A device whose firmware does not answer may hold up a reading for a minute: nothing else waits for it.
void Tier::startRdma(const Options& options)
{
    if (!host::PortList(options.sysfsRoot).isThere()) {
        m_rdma.reason = "this machine has no RDMA device";
        return;
    }
    const ProcessNames& names = processNames();
    auto* const lock = new HostLock(names.runDirectory + "/" + names.host + ".rdma.sampler", names.base);
    std::vector<std::unique_ptr<Source>> sources;
    sources.push_back(std::make_unique<OnceAHost>(std::make_unique<Rdma>(options.sysfsRoot), *lock));
    sources.push_back(std::make_unique<OnceAHost>(std::make_unique<Pause>(options.sysfsRoot), *lock));
    sources.push_back(std::make_unique<QueuePairs>()); // its own, in every process
    start(m_rdma, "ringside-rdma", std::move(sources), m_periodNs);
}

void Tier::start(Thread& thread, const char* name, std::vector<std::unique_ptr<Source>> sources,
                 std::int64_t periodNs, Sampler::StartThread startThread)
{
    constexpr std::size_t kRingBytes = std::size_t{128} << 10; // half a second at the fastest pace
    auto* const sampler = new Sampler(name, std::move(sources), periodNs);
    Ring* const ring = makeOwnRing(kRingBytes);
    if (ring == nullptr || !sampler->start(*ring, registry(), startThread)) {
        // It is not freed, because what loads libraries for it may be at work.
        // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks)
        thread.reason = ring == nullptr ? "there was no room for a ring" : "no thread could be made";
        return;
    }
    thread.sampler = sampler;
    thread.reason.clear();
}

// No GPU is asked for before the program itself has used it.
void Tier::addNewGpus(trace::Writer& writer)
{
    const std::vector<trace::DeviceRow>& devices = m_identity.devices();
    if (m_gpus == devices.size()) {
        return;
    }
    if (m_nvml == nullptr) {
        auto nvml = std::make_unique<Nvml>();
        m_nvml = nvml.get();
        std::vector<std::unique_ptr<Source>> sources;
        sources.push_back(std::move(nvml));
        start(m_gpu, "ringside-nvml", std::move(sources), m_periodNs,
              [](pthread_t& thread, void* (*main)(void*), void* sampler) {
                  return startProgramCallsThread(thread, main, sampler, &Sampler::load);
              });
    }
    for (; m_gpus < devices.size(); ++m_gpus) {
        const trace::DeviceRow& device = devices[m_gpus];
        if (m_gpu.sampler != nullptr) {
            m_nvml->addGpu({device.ordinal, device.pciBusId, device.uuid});
        }
        const std::string place = host::pciPath(m_sysfsRoot, inSmallLetters(device.pciBusId));
        if (!place.empty()) {
            writer.add(
                trace::settingRow({"device", "*_pci_path"}, place, "gpu" + std::to_string(device.ordinal)));
        }
    }
}

void Tier::pass(trace::Writer& writer, Registry&)
{
    if (m_periodNs == 0) {
        return;
    }
    addNewGpus(writer);
    takeRows(writer);
    describe(writer);
}

void Tier::takeRows(trace::Writer& writer)
{
    for (const Thread& thread : {std::cref(m_host), std::cref(m_rdma), std::cref(m_gpu)}) {
        if (thread.sampler == nullptr) {
            continue;
        }
        for (const trace::IssueRow& issue : thread.sampler->takeIssues()) {
            writer.add(issue);
        }
        for (const trace::SettingRow& setting : thread.sampler->takeSettings()) {
            writer.add(setting);
        }
    }
}

// One row: what is wrong with each source, in words.
void Tier::describe(trace::Writer& writer)
{
    bool active = false;
    std::string reason;
    const auto add = [&](const std::string& source, const std::string& why) {
        active = active || why.empty();
        if (!why.empty()) {
            trace::addReason(reason, source, why);
        }
    };
    for (const auto& [thread, name] :
         {std::pair(&m_host, "host"), std::pair(&m_rdma, "rdma"), std::pair(&m_gpu, "nvml")}) {
        if (thread->sampler == nullptr) {
            add(name, thread->reason);
            continue;
        }
        for (const SourceState& state : thread->sampler->states()) {
            add(state.name, state.reason);
        }
    }
    if (const std::string described = reason + (active ? "+" : "-"); described != m_described || m_endNs) {
        m_described = described;
        writer.setTier({"sampled", active, reason, m_startNs, m_endNs});
    }
}

void Tier::end(trace::Writer& writer, Registry&)
{
    abandon();
    if (m_periodNs == 0) {
        stop(m_host, writer);
        return;
    }
    m_endNs = readClockNs(CLOCK_MONOTONIC);
    stop(m_host, writer);
    stop(m_rdma, writer);
    stop(m_gpu, writer);
    takeRows(writer);
    describe(writer);
}

void Tier::stop(Thread& thread, trace::Writer& writer)
{
    if (thread.sampler == nullptr || thread.sampler->waitForEnd()) {
        return;
    }
    for (const SourceState& state : thread.sampler->states()) {
        if (state.reason == Sampler::kStuck) {
            say(Talk::Always, "%s: %s; its thread is left behind", state.name.c_str(), Sampler::kStuck);
            writer.add(trace::IssueRow{trace::Issue::SamplerLeftBehind, 1,
                                       state.name + ": " + Sampler::kStuck + ": its samples end there"});
        }
    }
}

void Tier::abandon()
{
    for (const Thread& thread : {std::cref(m_host), std::cref(m_rdma), std::cref(m_gpu)}) {
        if (thread.sampler != nullptr) {
            thread.sampler->askToStop();
        }
    }
}

} // namespace ringside::collector::sampled
