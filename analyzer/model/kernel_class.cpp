// SPDX-License-Identifier: Apache-2.0
#include "model/kernel_class.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ringside::model {
namespace {

constexpr std::array kCommunicationNames = {
#define RINGSIDE_COMMUNICATION_KERNEL(text, origin) std::string_view(text),
#include "model/kernel_names.def"
#undef RINGSIDE_COMMUNICATION_KERNEL
};
constexpr trace::StringId kDenseLimit = 1U << 16;

} // namespace

KernelClass classifyKernel(std::string_view name)
{
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const bool communication =
        std::any_of(kCommunicationNames.begin(), kCommunicationNames.end(),
                    [&](std::string_view text) { return lower.find(text) != std::string::npos; });
    return communication ? KernelClass::Communication : KernelClass::Compute;
}

KernelClasses::KernelClasses(const trace::ProcessTrace& process)
{
    for (const auto& [id, text] : process.strings) {
        const KernelClass kind = classifyKernel(text);
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
