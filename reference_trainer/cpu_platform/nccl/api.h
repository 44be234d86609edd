// SPDX-License-Identifier: Apache-2.0
// Export of public functions: ncclX is weak and pncclX its strong twin, as in the real library. Calls between
// public functions must stay interposable: no -Bsymbolic, no hidden aliases.
#pragma once
#include "errors.h"

#define RINGSIDE_NCCL_EXPORT extern "C" __attribute__((visibility("default")))
/// Must precede the definition of `name`.
#define RINGSIDE_NCCL_API(result, name, ...)                                                                 \
    RINGSIDE_NCCL_EXPORT __attribute__((alias(#name))) result p##name(__VA_ARGS__);                          \
    RINGSIDE_NCCL_EXPORT __attribute__((weak)) result name(__VA_ARGS__)
