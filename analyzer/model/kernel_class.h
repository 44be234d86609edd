// SPDX-License-Identifier: Apache-2.0
// Distinguishes communication kernels from compute kernels by name. The known names are in kernel_names.def.
#pragma once
#include <ringside/trace/reader.h>

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ringside::model {

enum class KernelClass : std::uint8_t { Compute, Communication };

/// Classifies a kernel by its name, mangled or demangled. `ownNames` are parts of qualified names, in lower
/// case, that the user declared to be communication.
[[nodiscard]] KernelClass classifyKernel(std::string_view name, std::span<const std::string> ownNames = {});

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
