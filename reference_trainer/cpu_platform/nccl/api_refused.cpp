// SPDX-License-Identifier: Apache-2.0
// Functions of the real library that are not emulated: they return ncclInvalidUsage and print one line on
// stderr each. Functions of the device API are declared here with their ABI only: their types need the
// vendor's nccl_device.h, and their arguments are not read.
#include "api.h"
#include "debug_log.h"

using ringside::nccl::refuse;

namespace {

/// ncclTeam_t of nccl_device.h.
struct Team {
    int rankCount;
    int rank;
    int stride;
};

} // namespace

RINGSIDE_NCCL_API(ncclResult_t, ncclCommRevoke, ncclComm_t, int)
{
    return refuse("ncclCommRevoke");
}

RINGSIDE_NCCL_API(ncclResult_t, ncclCommShrink, ncclComm_t, int*, int, ncclComm_t*, ncclConfig_t*, int)
{
    return refuse("ncclCommShrink");
}

RINGSIDE_NCCL_API(ncclResult_t, ncclGroupSimulateEnd, ncclSimInfo_t*)
{
    return refuse("ncclGroupSimulateEnd");
}

RINGSIDE_NCCL_API(ncclResult_t, ncclDevCommCreate, ncclComm_t, const void*, void*)
{
    return refuse("ncclDevCommCreate");
}

RINGSIDE_NCCL_API(ncclResult_t, ncclDevCommDestroy, ncclComm_t, const void*)
{
    return refuse("ncclDevCommDestroy");
}

RINGSIDE_NCCL_API(ncclResult_t, ncclGinBarrierCreateRequirement, ncclComm_t, Team, int, void*, void*)
{
    return refuse("ncclGinBarrierCreateRequirement");
}

RINGSIDE_NCCL_API(ncclResult_t, ncclLsaBarrierCreateRequirement, Team, int, void*, void*)
{
    return refuse("ncclLsaBarrierCreateRequirement");
}

RINGSIDE_NCCL_API(int, ncclLLA2ACalcSlots, int, int)
{
    refuse("ncclLLA2ACalcSlots");
    return 0;
}

RINGSIDE_NCCL_API(ncclResult_t, ncclLLA2ACreateRequirement, int, int, void*, void*)
{
    return refuse("ncclLLA2ACreateRequirement");
}

RINGSIDE_NCCL_API(Team, ncclTeamLsa, ncclComm_t)
{
    refuse("ncclTeamLsa");
    return {};
}

RINGSIDE_NCCL_API(Team, ncclTeamRail, ncclComm_t)
{
    refuse("ncclTeamRail");
    return {};
}

RINGSIDE_NCCL_API(Team, ncclTeamWorld, ncclComm_t)
{
    refuse("ncclTeamWorld");
    return {};
}

RINGSIDE_NCCL_API(int, ncclTeamRankToLsa, ncclComm_t, Team, int)
{
    refuse("ncclTeamRankToLsa");
    return -1;
}

RINGSIDE_NCCL_API(int, ncclTeamRankToWorld, ncclComm_t, Team, int)
{
    refuse("ncclTeamRankToWorld");
    return -1;
}

RINGSIDE_NCCL_API(void, ncclResetDebugInit, void)
{
    ringside::nccl::resetDebugLog();
}
// The only export that is strong and has no twin.
RINGSIDE_NCCL_EXPORT void ncclResetDebugInitInternal(void);
void ncclResetDebugInitInternal(void)
{
    ringside::nccl::resetDebugLog();
}
