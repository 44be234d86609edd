// SPDX-License-Identifier: Apache-2.0
#include "process_ranks.h"

#include "communicator.h"
#include "errors.h"
#include "signal_guard.h"

#include <string>
#include <thread>
#include <utility>

namespace ringside::nccl {
namespace {

void sayGoodbye(const std::vector<std::shared_ptr<Communicator>>& leaving)
{
    std::vector<std::thread> others;
    {
        const AllSignalsBlocked guard;
        for (std::size_t i = 1; i < leaving.size(); ++i)
            others.emplace_back([&leaving, i] { leaving[i]->sayGoodbye(); });
    }
    if (!leaving.empty())
        leaving.front()->sayGoodbye();
    for (std::thread& other : others)
        other.join();
}

} // namespace

std::shared_ptr<ProcessRanks> ProcessRanks::of(const UniqueId& id)
{
    static std::mutex mutex;
    static auto* const known = new std::map<Secret, std::weak_ptr<ProcessRanks>>;
    const std::lock_guard lock(mutex);
    std::erase_if(*known, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<ProcessRanks>& entry = (*known)[id.secret];
    std::shared_ptr<ProcessRanks> ranks = entry.lock();
    if (ranks == nullptr)
        entry = ranks = std::make_shared<ProcessRanks>();
    return ranks;
}

void ProcessRanks::join(int rank, int device)
{
    const std::lock_guard lock(m_mutex);
    for (const auto& [other, itsDevice] : m_devices)
        if (itsDevice == device && other != rank)
            throw Failure(ncclInvalidUsage, "Duplicate GPU detected: ranks " + std::to_string(other) +
                                                " and " + std::to_string(rank) + " both use CUDA device " +
                                                std::to_string(device));
    m_devices[rank] = device;
}

void ProcessRanks::forget(int rank)
{
    std::vector<std::shared_ptr<Communicator>> leaving;
    {
        const std::lock_guard lock(m_mutex);
        m_devices.erase(rank);
        leaving = takeLeavingLocked();
    }
    sayGoodbye(leaving);
}

void ProcessRanks::leave(const std::shared_ptr<Communicator>& communicator)
{
    std::vector<std::shared_ptr<Communicator>> leaving;
    {
        const std::lock_guard lock(m_mutex);
        m_leaving.push_back(communicator);
        leaving = takeLeavingLocked();
    }
    sayGoodbye(leaving);
}

std::vector<std::shared_ptr<Communicator>> ProcessRanks::takeLeavingLocked()
{
    if (m_leaving.size() < m_devices.size())
        return {};
    m_devices.clear();
    return std::exchange(m_leaving, {});
}

} // namespace ringside::nccl
