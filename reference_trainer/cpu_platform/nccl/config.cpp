// SPDX-License-Identifier: Apache-2.0
#include "config.h"

#include "errors.h"

#include <algorithm>
#include <climits>
#include <cstring>
#include <string>

namespace ringside::nccl {
namespace {

constexpr unsigned kMagic = 0xcafebeef;
constexpr int kMaximumChannels = 64;

struct Range {
    const char* name;
    int ncclConfig_t::*member;
    int lowest;
    int highest;
    unsigned since; ///< callers built against an older version do not have this member
};

constexpr Range kRanges[] = {
    {"blocking", &ncclConfig_t::blocking, 0, 1, NCCL_VERSION(2, 14, 0)},
    {"cgaClusterSize", &ncclConfig_t::cgaClusterSize, 0, INT_MAX, NCCL_VERSION(2, 17, 0)},
    {"minCTAs", &ncclConfig_t::minCTAs, 1, INT_MAX, NCCL_VERSION(2, 17, 0)},
    {"maxCTAs", &ncclConfig_t::maxCTAs, 1, INT_MAX, NCCL_VERSION(2, 17, 0)},
    {"splitShare", &ncclConfig_t::splitShare, 0, 1, NCCL_VERSION(2, 18, 0)},
    {"collnetEnable", &ncclConfig_t::collnetEnable, 0, 1, NCCL_VERSION(2, 27, 0)},
    {"CTAPolicy", &ncclConfig_t::CTAPolicy, 0, 2, NCCL_VERSION(2, 27, 0)},
    {"shrinkShare", &ncclConfig_t::shrinkShare, 0, 1, NCCL_VERSION(2, 27, 0)},
    {"nvlsCTAs", &ncclConfig_t::nvlsCTAs, 1, INT_MAX, NCCL_VERSION(2, 27, 0)},
    {"nChannelsPerNetPeer", &ncclConfig_t::nChannelsPerNetPeer, 1, kMaximumChannels, NCCL_VERSION(2, 28, 0)},
    {"nvlinkCentricSched", &ncclConfig_t::nvlinkCentricSched, 0, 1, NCCL_VERSION(2, 28, 0)},
};

/// The caller's structure may be older and shorter.
ncclConfig_t completed(const ncclConfig_t& given)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.magic = 0;
    std::size_t size = 0;
    std::memcpy(&size, &given, sizeof size);
    std::memcpy(static_cast<void*>(&config), &given, std::min(size, sizeof config));
    require(config.magic == kMagic, "config was not made by NCCL_CONFIG_INITIALIZER");
    for (const Range& range : kRanges)
        if (config.version < range.since)
            config.*range.member = NCCL_CONFIG_UNDEF_INT;
    return config;
}

} // namespace

std::string nameIn(const ncclConfig_t* given)
{
    if (given == nullptr)
        return {};
    const ncclConfig_t config = completed(*given);
    const bool named = config.version >= NCCL_VERSION(2, 27, 0) && config.commName != nullptr;
    return named ? config.commName : "";
}

bool wantsBlocking(const ncclConfig_t* given, bool otherwise)
{
    if (given == nullptr)
        return otherwise;
    const ncclConfig_t config = completed(*given);
    for (const Range& range : kRanges) {
        const int value = config.*range.member;
        if (value != NCCL_CONFIG_UNDEF_INT && (value < range.lowest || value > range.highest))
            throw Failure(ncclInvalidArgument,
                          std::string("config: ") + range.name + " cannot be " + std::to_string(value));
    }
    // If maxCTAs is not set, this rejects any minCTAs, as the real library does.
    require(config.minCTAs <= config.maxCTAs, "config: minCTAs is greater than maxCTAs");
    return config.blocking == NCCL_CONFIG_UNDEF_INT ? otherwise : config.blocking == 1;
}

} // namespace ringside::nccl
