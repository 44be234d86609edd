// SPDX-License-Identifier: Apache-2.0
// libibverbs, found at run time: hosts without RDMA do not have it, and a program that has its own version of
// it in memory keeps that one.
#pragma once
#include "trace/ports/verbs_abi.h"

#include <string>

namespace ringside::ports {

struct VerbsLibrary {
    /// False, with `reason`, when the library or what cannot be done without is missing.
    bool load();
    /// 0, or an errno. Newer devices' speeds are only told where both library and kernel know them.
    [[nodiscard]] int queryPort(verbs::Context* context, std::uint8_t port,
                                verbs::PortAttributes& attributes) const;

    std::string reason = "libibverbs was not looked for";
// Null where this version has no such function.
// NOLINTBEGIN(bugprone-macro-parentheses): members are declared
#define RS_VERBS(member, name, version, result, parameters) result(*member) parameters = nullptr;
    RINGSIDE_VERBS_FUNCTIONS(RS_VERBS)
#undef RS_VERBS
    // NOLINTEND(bugprone-macro-parentheses)
};

} // namespace ringside::ports
