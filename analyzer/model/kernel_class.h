// SPDX-License-Identifier: Apache-2.0
// The classes of all kernel names of a run. trace/vocabulary/kernel_class.h classifies one name.
#pragma once
#include "trace/vocabulary/kernel_class.h"

#include <ringside/trace/reader.h>

#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ringside::model {

using trace::classifyKernel;
using trace::KernelClass;

/// Returns those of the user's names that occur in no kernel's name.
[[nodiscard]] std::vector<std::string> unusedNames(const std::vector<trace::ProcessTrace>& processes,
                                                   std::span<const std::string> ownNames);

/// The class of each string of a process. Each name is classified once, however many kernels have it.
class KernelClasses final {
public:
    KernelClasses() = default;
    KernelClasses(const trace::ProcessTrace& process, std::span<const std::string> ownNames);
    [[nodiscard]] KernelClass of(trace::StringId name) const
    {
        if (name < m_dense.size()) {
            return m_dense[name];
        }
        const auto found = m_sparse.find(name);
        return found == m_sparse.end() ? KernelClass::Compute : found->second;
    }

private:
    std::vector<KernelClass> m_dense; ///< by string id, for ids below 65536: producers count from 1 upwards
    std::unordered_map<trace::StringId, KernelClass> m_sparse;
};

} // namespace ringside::model
