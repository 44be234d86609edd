// SPDX-License-Identifier: Apache-2.0
#include "trace/vocabulary/demangle.h"

#include <cxxabi.h>

#include <cmath>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace ringside::trace {
namespace {

bool isMangled(std::string_view name)
{
    return name.starts_with("_Z");
}

/// References to earlier parts (S_, S1A_) and to template arguments (T_, T0_).
int countReferences(std::string_view name)
{
    constexpr std::string_view kIndex = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    int references = 0;
    for (std::size_t at = name.find_first_of("ST"); at != std::string_view::npos;
         at = name.find_first_of("ST", at + 1)) {
        const std::size_t end = name.find_first_not_of(kIndex, at + 1);
        references += end != std::string_view::npos && name[end] == '_' ? 1 : 0;
    }
    return references;
}

int countExpandedPacks(std::string_view name)
{
    int packs = 0;
    for (const std::string_view operation : {"Dp", "sp"}) {
        for (std::size_t at = name.find(operation); at != std::string_view::npos;
             at = name.find(operation, at + 1)) {
            ++packs;
        }
    }
    return packs;
}

/// Some 200 characters can expand to 30 GB, if each part contains the previous part twice. With r references,
/// the expansion is largest if every part is used three times: 3^(r/3). A pack repeats its pattern for each
/// of its members.
bool mayExplode(std::string_view name)
{
    const double length = std::log(static_cast<double>(name.size()));
    const double growth = std::log(3.0) / 3.0 * countReferences(name) + length * countExpandedPacks(name);
    const double most = std::log(16.0 * 1024 * 1024);
    return length + growth > most;
}

} // namespace

std::string demangled(std::string name)
{
    if (!isMangled(name) || mayExplode(name)) {
        return name;
    }
    int status = 0;
    const std::unique_ptr<char, decltype(&std::free)> text(
        abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
    constexpr std::size_t kLongestShown = std::size_t{16} * 1024;
    return status == 0 && text != nullptr && std::string_view(text.get()).size() <= kLongestShown ? text.get()
                                                                                                  : name;
}

} // namespace ringside::trace
