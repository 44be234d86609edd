// SPDX-License-Identifier: Apache-2.0
// The words in which a framework's script is written.
#pragma once
#include "support/framework_patterns.h"

namespace ringside::test {

inline constexpr std::uint64_t kMiB = 1U << 20U;
inline constexpr std::uint64_t kHidden = 1024;
inline constexpr std::uint64_t kActivation = 8 * kMiB;
inline constexpr std::uint64_t kScalar = 4;

inline void host(Script& script, nanoseconds time)
{
    ScriptItem item;
    item.host = time;
    script.push_back(item);
}

inline void call(Script& script, std::string_view api, Group group, std::uint64_t bytes, int peer = -1)
{
    ScriptItem item;
    item.what = ScriptItem::What::Call;
    item.api = api;
    item.group = group;
    item.bytes = bytes;
    item.peer = peer;
    script.push_back(item);
}

inline void optimize(Script& script, const JobShape& shape)
{
    ScriptItem item;
    item.what = ScriptItem::What::Optimizer;
    item.host = shape.optimizer;
    script.push_back(item);
    host(script, shape.data);
}

inline void allReduce(Script& script, Group group, std::uint64_t bytes)
{
    call(script, "ncclAllReduce", group, bytes);
}

} // namespace ringside::test
