// SPDX-License-Identifier: Apache-2.0
#include "profiler/communicator_profile.h"

#include "debug_log.h"

namespace ringside::nccl::profiler {

std::shared_ptr<CommunicatorProfile> CommunicatorProfile::open(const Member& member)
{
    std::shared_ptr<Plugin> plugin = Plugin::acquire();
    if (plugin == nullptr)
        return nullptr;
    std::shared_ptr<CommunicatorProfile> profile(new CommunicatorProfile(std::move(plugin), member.rank));
    const ncclResult_t result = profile->m_plugin->init(profile->m_context, member);
    if (result != ncclSuccess) {
        RINGSIDE_NCCL_INFO(kLogInit, "Profiler init failed with error '%d'. Continue without profiler.",
                           result);
        return nullptr;
    }
    profile->m_open = true;
    return profile;
}

CommunicatorProfile::~CommunicatorProfile()
{
    close();
}

void CommunicatorProfile::close()
{
    // As in the real library: a plugin that created no context is not informed about the end.
    if (m_open.exchange(false) && m_context != nullptr)
        m_plugin->finalize(m_context);
}

void* CommunicatorProfile::start(Descriptor& descriptor) const
{
    return m_plugin->start(m_context, descriptor);
}

void CommunicatorProfile::stop(void* handle) const
{
    if (handle != nullptr)
        m_plugin->stop(handle);
}

} // namespace ringside::nccl::profiler
