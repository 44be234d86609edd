// SPDX-License-Identifier: Apache-2.0
#include "trace/vocabulary/kernel_name.h"

#include "trace/vocabulary/demangle.h"

#include <algorithm>
#include <cctype>

namespace ringside::trace {
namespace {

/// Returns the name up to its parameters, without template arguments and unnamed namespaces.
std::string withoutArguments(std::string_view text)
{
    constexpr std::string_view kUnnamed = "(anonymous namespace)";
    std::string name;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.substr(i).starts_with(kUnnamed)) {
            i += kUnnamed.size() - 1;
        } else if (text[i] == '<') {
            ++depth;
        } else if (text[i] == '>') {
            depth = std::max(0, depth - 1);
        } else if (depth == 0 && text[i] == '(') {
            break;
        } else if (depth == 0) {
            name += text[i];
        }
    }
    return name;
}

} // namespace

std::vector<std::string> identifiersOf(std::string_view kernelName)
{
    std::string name = withoutArguments(demangled(std::string(kernelName)));
    name.erase(
        std::find_if_not(name.rbegin(), name.rend(), [](unsigned char c) { return std::isspace(c); }).base(),
        name.end());
    name.erase(0, name.find_last_of(" \t") + 1); // the return type
    std::vector<std::string> identifiers;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find("::", begin), name.size());
        if (end > begin) {
            identifiers.push_back(name.substr(begin, end - begin));
            std::ranges::transform(identifiers.back(), identifiers.back().begin(),
                                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
        }
        begin = end + 2;
    }
    return identifiers;
}

std::string qualifiedName(const std::vector<std::string>& identifiers)
{
    std::string name;
    for (const std::string& identifier : identifiers) {
        name += (name.empty() ? "" : "::") + identifier;
    }
    return name;
}

} // namespace ringside::trace
