// SPDX-License-Identifier: Apache-2.0
#include "import/torch_words.h"

#include "import/decimal.h"
#include "trace/vocabulary/datatype.h"
#include "values/parse_number.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace ringside::importers {
namespace {

/// Data types of PyTorch that are not in the vocabulary of NCCL's data types.
constexpr std::array kOthers{TorchDatatype{"Bool", 1, trace::numberOf(trace::Datatype::Uint8)},
                             TorchDatatype{"Short", 2, std::nullopt}, TorchDatatype{"ComplexFloat", 8, {}},
                             TorchDatatype{"ComplexDouble", 16, {}}};

} // namespace

std::string wordOf(std::string_view text)
{
    std::string word;
    for (const char c : text) {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
            word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        }
    }
    return word;
}

std::string_view ncclFunctionOf(std::string_view text)
{
    using Pair = std::pair<std::string_view, std::string_view>;
    constexpr std::array kFunctions{Pair{"sendrecv", ""},
                                    Pair{"allreduce", "ncclAllReduce"},
                                    Pair{"barrier", "ncclAllReduce"}, // PyTorch reduces one element
                                    Pair{"reducescatter", "ncclReduceScatter"},
                                    Pair{"allgather", "ncclAllGather"},
                                    Pair{"alltoall", "ncclAlltoAll"},
                                    Pair{"broadcast", "ncclBroadcast"},
                                    Pair{"gather", "ncclGather"},
                                    Pair{"scatter", "ncclScatter"},
                                    Pair{"reduce", "ncclReduce"},
                                    Pair{"send", "ncclSend"},
                                    Pair{"recv", "ncclRecv"}};
    const std::string word = wordOf(text);
    const auto found = std::ranges::find_if(
        kFunctions, [&](const Pair& each) { return word.find(each.first) != std::string::npos; });
    return found != kFunctions.end() ? found->second : std::string_view();
}

std::optional<TorchDatatype> torchDatatype(std::string_view name)
{
    if (const auto found = std::ranges::find(trace::kDatatypes, name, &trace::DatatypeEntry::torch);
        found != trace::kDatatypes.end()) {
        return TorchDatatype{found->torch, found->bytes, trace::numberOf(found->datatype)};
    }
    const auto other = std::ranges::find(kOthers, name, &TorchDatatype::name);
    return other != kOthers.end() ? std::optional(*other) : std::nullopt;
}

std::vector<std::int64_t> ranksOfText(std::string_view text)
{
    std::vector<std::int64_t> ranks;
    std::size_t at = 0;
    while ((at = text.find_first_of("0123456789", at)) != std::string_view::npos) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        ranks.push_back(values::parseNumber<std::int64_t>(text.substr(at, end - at)).value_or(-1));
        at = end;
    }
    return ranks;
}

} // namespace ringside::importers
