// SPDX-License-Identifier: Apache-2.0
// Converts the runtime's activity to records with the layouts of CUDA 13.0. Older layouts are the start of
// these (layouts.h).
#pragma once
#include "platform.h"

#include <cupti.h>

namespace ringside::cupti {

[[nodiscard]] CUpti_ActivityKernel10 kernelRecord(const platform::WorkActivity& activity,
                                                  CUpti_ActivityKind kind);
[[nodiscard]] CUpti_ActivityMemcpy6 copyRecord(const platform::WorkActivity& activity);
[[nodiscard]] CUpti_ActivityMemcpyPtoP4 peerCopyRecord(const platform::WorkActivity& activity);
[[nodiscard]] CUpti_ActivityMemset4 setRecord(const platform::WorkActivity& activity);
[[nodiscard]] CUpti_ActivityAPI callRecord(const platform::ApiActivity& activity, CUpti_ActivityKind kind,
                                           CUpti_ActivityThreadIdType threadIds);
[[nodiscard]] CUpti_ActivityExternalCorrelation externalRecord(CUpti_ExternalCorrelationKind kind,
                                                               std::uint64_t id, std::uint32_t correlation);

} // namespace ringside::cupti
