// SPDX-License-Identifier: Apache-2.0
// libibverbs, found at run time: hosts without RDMA do not have it, and a program that has its own version of
// it in memory keeps that one.
#pragma once
#include "host/verbs/abi.h"

#include <string>

namespace ringside::host::verbs {

struct Library {
    /// False, with `reason`, when the library or what ports cannot be watched without is missing.
    bool load();
    /// Whether every function is there that writing into another host's memory takes.
    [[nodiscard]] bool canWrite() const;
    /// 0, or an errno. Newer devices' speeds are only told where both library and kernel know them.
    [[nodiscard]] int queryPort(Context* context, std::uint8_t port, PortAttributes& attributes) const;

    std::string reason = "libibverbs was not looked for";
// Null where this version has no such function.
// NOLINTBEGIN(bugprone-macro-parentheses): members are declared
#define RS_VERBS(member, name, version, result, parameters) result(*member) parameters = nullptr;
    RINGSIDE_VERBS_FUNCTIONS(RS_VERBS)
#undef RS_VERBS
    // NOLINTEND(bugprone-macro-parentheses)
};

} // namespace ringside::host::verbs
