// SPDX-License-Identifier: Apache-2.0
#include "model/kernel_class.h"

#include "trace/vocabulary/kernel_name.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <unordered_set>

namespace ringside::model {
namespace {

constexpr trace::StringId kDenseLimit = 1U << 16;

} // namespace

std::vector<std::string> unusedNames(const std::vector<trace::ProcessTrace>& processes,
                                     std::span<const std::string> ownNames)
{
    std::set<std::string> kernels;
    for (const trace::ProcessTrace& process : processes) {
        std::unordered_set<trace::StringId> ids(process.kernels.name.begin(), process.kernels.name.end());
        for (const trace::StringId id : ids) {
            kernels.insert(trace::qualifiedName(trace::identifiersOf(process.text(id))));
        }
    }
    std::vector<std::string> unused;
    std::ranges::copy_if(ownNames, std::back_inserter(unused), [&](const std::string& own) {
        return std::ranges::none_of(
            kernels, [&](const std::string& kernel) { return kernel.find(own) != std::string::npos; });
    });
    return unused;
}

KernelClasses::KernelClasses(const trace::ProcessTrace& process, std::span<const std::string> ownNames)
{
    for (const auto& [id, text] : process.strings) {
        const KernelClass kind = classifyKernel(text, ownNames);
        if (id >= kDenseLimit) {
            m_sparse.emplace(id, kind);
            continue;
        }
        if (id >= m_dense.size()) {
            m_dense.resize(id + 1U, KernelClass::Compute);
        }
        m_dense[id] = kind;
    }
}

} // namespace ringside::model
