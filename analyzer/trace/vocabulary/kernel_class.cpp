// SPDX-License-Identifier: Apache-2.0
#include "trace/vocabulary/kernel_class.h"

#include "trace/vocabulary/kernel_name.h"

#include <algorithm>

namespace ringside::trace {
namespace {

enum class Match : std::uint8_t { Within, Begins, Holds };

struct KnownName {
    Match match;
    std::string_view text;
};

// clang-format off
#define RINGSIDE_COMMUNICATION_KERNEL(how, text, whose) {Match::how, text},
#define RINGSIDE_COMPUTE_KERNEL(how, text, whose)
#define RINGSIDE_FUSED_COMPUTATION(text)
constexpr KnownName kCommunication[] = {
#include "trace/vocabulary/kernel_names.def"
};
#undef RINGSIDE_COMMUNICATION_KERNEL
#undef RINGSIDE_COMPUTE_KERNEL
#define RINGSIDE_COMMUNICATION_KERNEL(how, text, whose)
#define RINGSIDE_COMPUTE_KERNEL(how, text, whose) {Match::how, text},
constexpr KnownName kCompute[] = {
#include "trace/vocabulary/kernel_names.def"
};
#undef RINGSIDE_COMPUTE_KERNEL
#undef RINGSIDE_FUSED_COMPUTATION
#define RINGSIDE_COMPUTE_KERNEL(how, text, whose)
#define RINGSIDE_FUSED_COMPUTATION(text) text,
constexpr std::string_view kFusedComputation[] = {
#include "trace/vocabulary/kernel_names.def"
};
#undef RINGSIDE_COMMUNICATION_KERNEL
#undef RINGSIDE_COMPUTE_KERNEL
#undef RINGSIDE_FUSED_COMPUTATION
// clang-format on

/// Returns whether the function is a member of the namespace `space` ("a" or "a::b"), which may be nested in
/// others.
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

bool holdsAny(const std::vector<std::string>& identifiers, std::span<const std::string> ownNames)
{
    return !ownNames.empty() &&
           std::ranges::any_of(ownNames, [name = qualifiedName(identifiers)](const std::string& own) {
               return name.find(own) != std::string::npos;
           });
}

} // namespace

KernelClass classifyKernel(std::string_view name, std::span<const std::string> ownNames)
{
    const std::vector<std::string> identifiers = identifiersOf(name);
    const auto isOf = [&](std::span<const KnownName> names) {
        return std::ranges::any_of(names, [&](const KnownName& each) { return matches(each, identifiers); });
    };
    const bool known =
        !identifiers.empty() && !computesToo(identifiers.back()) && !isOf(kCompute) && isOf(kCommunication);
    return known || holdsAny(identifiers, ownNames) ? KernelClass::Communication : KernelClass::Compute;
}

} // namespace ringside::trace
