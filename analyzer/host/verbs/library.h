// SPDX-License-Identifier: Apache-2.0
// libibverbs, loaded at run time. Hosts without RDMA do not have it, and a program that has already loaded a
// version keeps that one.
#pragma once
#include "host/verbs/abi.h"

#include <string>

namespace ringside::host::verbs {

struct Library {
    /// Returns false, with `reason`, if the library or a function for watching ports is missing.
    bool load();
    /// Returns whether all functions exist that are needed to write into another host's memory.
    [[nodiscard]] bool canWrite() const;
    /// Returns 0 or an errno. Speeds of newer devices are only reported if both library and kernel support
    /// them.
    [[nodiscard]] int queryPort(Context* context, std::uint8_t port, PortAttributes& attributes) const;

    std::string reason = "libibverbs was not loaded";
// null if this version lacks the function
// NOLINTBEGIN(bugprone-macro-parentheses): members are declared
#define RS_VERBS(member, name, version, result, parameters) result(*member) parameters = nullptr;
    RINGSIDE_VERBS_FUNCTIONS(RS_VERBS)
#undef RS_VERBS
    // NOLINTEND(bugprone-macro-parentheses)
};

} // namespace ringside::host::verbs
