// SPDX-License-Identifier: Apache-2.0
// libibverbs, found at run time: hosts without RDMA do not have it.
#pragma once
#include "probe/verbs_abi.h"

namespace ringside::probe {

struct VerbsLibrary {
    /// Null where it is not there, or lacks a function. It stays loaded.
    [[nodiscard]] static const VerbsLibrary* find();

// NOLINTBEGIN(bugprone-macro-parentheses): members are declared
#define RINGSIDE_VERB(member, name, result, parameters) result(*member) parameters = nullptr;
    RINGSIDE_VERBS(RINGSIDE_VERB)
#undef RINGSIDE_VERB
    // NOLINTEND(bugprone-macro-parentheses)
};

} // namespace ringside::probe
