// SPDX-License-Identifier: Apache-2.0
// Tells communication kernels from compute kernels by name. The names stand in kernel_names.def, nowhere
// else.
#pragma once
#include <ringside/trace/reader.h>

#include <string_view>
#include <unordered_map>

namespace ringside::model {

enum class KernelClass : std::uint8_t { Compute, Communication };

[[nodiscard]] KernelClass classifyKernel(std::string_view name);

/// Classes of a process's strings, so that each name is looked at once however many kernels carry it.
class KernelClasses final {
public:
    KernelClasses() = default;
    explicit KernelClasses(const trace::ProcessTrace& process);
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
