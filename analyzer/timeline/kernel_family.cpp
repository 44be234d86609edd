// SPDX-License-Identifier: Apache-2.0
#include "timeline/kernel_family.h"

#include <algorithm>
#include <cctype>
#include <unordered_map>

namespace ringside::timeline {
namespace {

struct FamilyRow {
    std::string_view part;
    KernelFamily family;
};
constexpr std::array kFamilyRows = {
#define RINGSIDE_KERNEL_FAMILY(part, family) FamilyRow{part, KernelFamily::family},
#include "timeline/kernel_families.def"
};

bool isOpening(char c)
{
    return c == '<' || c == '(' || c == '[' || c == '{';
}

bool isClosing(char c)
{
    return c == '>' || c == ')' || c == ']' || c == '}';
}

/// Returns the first argument of the first template of a name.
std::string_view firstArgument(std::string_view name)
{
    const std::size_t first = name.find('<') + 1;
    int depth = 0;
    for (std::size_t i = first; i < name.size(); ++i) {
        if (depth == 0 && (name[i] == ',' || isClosing(name[i]))) {
            return name.substr(first, i - first);
        }
        depth += isOpening(name[i]) ? 1 : isClosing(name[i]) ? -1 : 0;
    }
    return {};
}

} // namespace

KernelFamily familyOf(std::string_view kernel)
{
    std::string lower(kernel);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const auto row = std::ranges::find_if(
        kFamilyRows, [&lower](const FamilyRow& each) { return lower.find(each.part) != std::string::npos; });
    return row == kFamilyRows.end() ? KernelFamily::Other : row->family;
}

std::string_view familyName(KernelFamily family)
{
    constexpr std::array<std::string_view, kKernelFamilies> kNames{"matrix multiplication",
                                                                   "attention",
                                                                   "normalisation",
                                                                   "optimizer",
                                                                   "embedding and indexing",
                                                                   "reduction",
                                                                   "elementwise",
                                                                   "copies by kernel",
                                                                   "other"};
    return kNames[static_cast<std::size_t>(family)];
}

std::string shortName(std::string_view name)
{
    constexpr std::string_view kAnonymous = "(anonymous namespace)";
    std::string text(name);
    for (std::size_t at = text.find(kAnonymous); at != std::string::npos; at = text.find(kAnonymous)) {
        text.erase(at, kAnonymous.size());
    }
    // what stands inside of brackets says nothing about where the name begins and ends
    std::string result;
    int depth = 0;
    bool folded = false;
    for (const char c : text) {
        if (isOpening(c)) {
            if (depth == 0 && c == '(' && !result.empty()) {
                break; // the parameters: nothing behind them belongs to the name
            }
            folded = folded || (depth == 0 && c == '<');
            ++depth;
        } else if (isClosing(c)) {
            depth = std::max(0, depth - 1);
        } else if (depth == 0 && (c == ':' || c == ' ')) {
            result.clear();
            folded = false;
        } else if (depth == 0) {
            result += c;
        }
    }
    if (result.empty()) {
        return std::string(name);
    }
    if (folded && (result == "Kernel" || result == "Kernel2")) { // CUTLASS: the argument is what it runs
        if (const std::string_view argument = firstArgument(text); !argument.empty()) {
            return shortName(argument);
        }
    }
    return folded ? result + "<…>" : result;
}

std::vector<std::string> shortNames(const std::vector<std::string>& names)
{
    std::unordered_map<std::string_view, std::string> known; // by whole name
    std::unordered_map<std::string, std::size_t> alike;
    std::vector<std::string> result;
    result.reserve(names.size());
    for (const std::string& name : names) {
        const auto [entry, fresh] = known.try_emplace(name);
        if (fresh) {
            entry->second = shortName(name);
            if (const std::size_t number = ++alike[entry->second]; number > 1) {
                entry->second += " (" + std::to_string(number) + ")";
            }
        }
        result.push_back(entry->second);
    }
    return result;
}

} // namespace ringside::timeline
