// SPDX-License-Identifier: Apache-2.0
// Tells communication kernels from compute kernels by name. The names stand in kernel_names.def, nowhere
// else.
#pragma once
#include <ringside/trace/reader.h>

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::model {

enum class KernelClass : std::uint8_t { Compute, Communication };

/// `ownNames`: parts of qualified names that communicate by the user's word, in lower case.
[[nodiscard]] KernelClass classifyKernel(std::string_view name, std::span<const std::string> ownNames = {});

/// Those of a user's names that no kernel's name holds.
[[nodiscard]] std::vector<std::string> unusedNames(const std::vector<trace::ProcessTrace>& processes,
                                                   std::span<const std::string> ownNames);

/// Classes of a process's strings, so that each name is looked at once however many kernels carry it.
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
    std::vector<KernelClass> m_dense; ///< producers' ids, 1 upwards
    std::unordered_map<trace::StringId, KernelClass> m_sparse;
};

} // namespace ringside::model
