// SPDX-License-Identifier: Apache-2.0
#include "model/kernel_class.h"

#include "model/kernel_name.h"

#include <algorithm>
#include <array>

namespace ringside::model {
namespace {

enum class Match : std::uint8_t { Within, Begins, Holds };

struct KnownName {
    Match match;
    std::string_view text;
};

// clang-format off
constexpr KnownName kCommunication[] = {
#define RINGSIDE_COMMUNICATION_KERNEL(how, text, whose) {Match::how, text},
#define RINGSIDE_FUSED_COMPUTATION(text)
#include "model/kernel_names.def"
#undef RINGSIDE_COMMUNICATION_KERNEL
#undef RINGSIDE_FUSED_COMPUTATION
};
constexpr std::string_view kFusedComputation[] = {
#define RINGSIDE_COMMUNICATION_KERNEL(how, text, whose)
#define RINGSIDE_FUSED_COMPUTATION(text) text,
#include "model/kernel_names.def"
#undef RINGSIDE_COMMUNICATION_KERNEL
#undef RINGSIDE_FUSED_COMPUTATION
};
// clang-format on
constexpr trace::StringId kDenseLimit = 1U << 16;

/// Whether the function is a member of this namespace, which may be nested ("a::b") in others.
bool isWithin(const std::vector<std::string>& identifiers, std::string_view space)
{
    std::string path;
    for (std::size_t i = 0; i + 1 < identifiers.size(); ++i) {
        path += "::" + identifiers[i];
    }
    return (path + "::").find("::" + std::string(space) + "::") != std::string::npos;
}

bool matches(const KnownName& known, const std::vector<std::string>& identifiers)
{
    switch (known.match) {
    case Match::Within:
        return isWithin(identifiers, known.text);
    case Match::Begins:
        return identifiers.back().starts_with(known.text);
    case Match::Holds:
        break;
    }
    return identifiers.back().find(known.text) != std::string::npos;
}

bool computesToo(std::string_view function)
{
    return std::ranges::any_of(kFusedComputation, [&](std::string_view text) {
        return function.find(text) != std::string_view::npos;
    });
}

} // namespace

KernelClass classifyKernel(std::string_view name)
{
    const std::vector<std::string> identifiers = identifiersOf(name);
    const bool communication = !identifiers.empty() && !computesToo(identifiers.back()) &&
                               std::ranges::any_of(kCommunication, [&](const KnownName& known) {
                                   return matches(known, identifiers);
                               });
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
