// SPDX-License-Identifier: Apache-2.0
// Loads CUPTI with dlopen: the copy that the process already has, else the one of the process's CUDA
// runtime. Two copies in one process break each other, and a copy of another CUDA version may not
// support the runtime.
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

    /// Returns false if CUPTI cannot be loaded or lacks a function; `reason()` then says which.
    bool load();
    [[nodiscard]] const std::string& reason() const
    {
        return m_reason;
    }

private:
    std::string m_reason;
};

/// Whether the process has loaded the CUDA runtime or the driver. Before that CUPTI has nothing to
/// record and does harm: it would start the driver, which forked children could not use any more. Takes
/// no lock that a constructor of the program may hold.
[[nodiscard]] bool isCudaLoaded();

/// Describes why a CUPTI call failed, for the report.
std::string cuptiFailure(cupti::Result result);

} // namespace ringside::collector
