// SPDX-License-Identifier: Apache-2.0
#include "algorithm.h"

#include "errors.h"
#include "operation.h"

#include <strings.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace ringside::nccl {
namespace {

constexpr std::array kAlgorithms = {"tree",     "ring", "collnetdirect", "collnetchain", "nvls",
                                    "nvlstree", "pat"};
constexpr std::array kFunctions = {"AllReduce", "Broadcast", "Reduce", "AllGather",
                                   "ReduceScatter"}; // by Kind
constexpr unsigned kAll = (1U << kAlgorithms.size()) - 1;

constexpr unsigned bit(Algorithm algorithm)
{
    return 1U << static_cast<unsigned>(algorithm);
}

template <std::size_t Count>
std::size_t numberOf(const std::array<const char*, Count>& names, const std::string& word)
{
    for (std::size_t i = 0; i < Count; ++i)
        if (::strcasecmp(names[i], word.c_str()) == 0)
            return i;
    throw Failure(ncclInvalidUsage, "NCCL_ALGO: unknown word \"" + word + "\"");
}

/// Removes the text up to the separator from the front and returns it.
std::string nextWord(std::string_view& text, char separator)
{
    const std::size_t end = std::min(text.find(separator), text.size());
    std::string word(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

unsigned bitsOf(std::string_view list)
{
    const bool excluded = list.starts_with('^');
    list.remove_prefix(excluded ? 1 : 0);
    unsigned bits = 0;
    while (!list.empty())
        bits |= 1U << numberOf(kAlgorithms, nextWord(list, ','));
    return excluded ? kAll & ~bits : bits;
}

} // namespace

Algorithms Algorithms::fromEnvironment()
{
    Algorithms algorithms;
    algorithms.m_allowed.fill(kAll);
    const char* const text = std::getenv("NCCL_ALGO");
    std::string_view rest = text == nullptr ? "" : text;
    while (!rest.empty()) {
        const std::string part = nextWord(rest, ';');
        const std::size_t colon = part.find(':');
        if (colon == std::string::npos)
            algorithms.m_allowed.fill(bitsOf(part));
        else
            algorithms.m_allowed[numberOf(kFunctions, part.substr(0, colon))] =
                bitsOf(std::string_view(part).substr(colon + 1));
    }
    return algorithms;
}

Algorithm Algorithms::of(Kind kind) const
{
    const auto number = static_cast<std::size_t>(kind);
    if ((m_allowed[number] & bit(Algorithm::Ring)) != 0)
        return Algorithm::Ring;
    if (kind == Kind::AllReduce && (m_allowed[number] & bit(Algorithm::Tree)) != 0)
        return Algorithm::Tree;
    const char* const text = std::getenv("NCCL_ALGO");
    throw Failure(ncclInvalidUsage, std::string("no algorithm for ") + kFunctions[number] +
                                        ": NCCL_ALGO was set to " + (text == nullptr ? "" : text));
}

} // namespace ringside::nccl
