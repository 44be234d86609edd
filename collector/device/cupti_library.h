// SPDX-License-Identifier: Apache-2.0
// CUPTI by dlopen: the copy that the process already has, else the one of the process's CUDA runtime. Two
// copies in one process break each other, and one of another CUDA may not know the runtime that it watches.
#pragma once
#include "abi/cupti.h"

#include <string>

namespace ringside::collector {

struct CuptiLibrary {
// NOLINTNEXTLINE(bugprone-macro-parentheses): a declaration
#define RS_CUPTI(member, name, parameters) int(*member) parameters = nullptr;
    RINGSIDE_CUPTI_FUNCTIONS(RS_CUPTI)
    RINGSIDE_CUPTI_NEWER_FUNCTIONS(RS_CUPTI) ///< null where CUPTI is older
#undef RS_CUPTI

    /// False when no CUPTI can be loaded or it lacks a function; `reason()` then says which.
    bool load();
    [[nodiscard]] const std::string& reason() const
    {
        return m_reason;
    }

private:
    std::string m_reason;
};

/// Whether the process has the CUDA runtime or the driver. Before, CUPTI has nothing to see and does harm: it
/// would start the driver, which forked children could not use any more. Takes no lock that a program's
/// constructor holds.
[[nodiscard]] bool isCudaLoaded();

/// Why a CUPTI call failed, in words for the report.
const char* cuptiFailure(cupti::Result result);

} // namespace ringside::collector
