// SPDX-License-Identifier: Apache-2.0
// Maps PyTorch's names of collectives, data types and groups to those of NCCL.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers {

/// Returns the lower-case letters and digits of a name, for comparison: "all_gather" and "AllGather" are the
/// same word.
[[nodiscard]] std::string wordOf(std::string_view text);

/// Returns the NCCL function that a name of PyTorch or of a kernel contains. Empty if it is not known or
/// ambiguous.
[[nodiscard]] std::string_view ncclFunctionOf(std::string_view text);

struct TorchDatatype {
    std::string_view name; ///< as c10::ScalarType prints it
    std::uint64_t bytes;
    std::optional<std::int64_t> nccl; ///< ncclDataType_t (nccl.h); null if NCCL has no such type
};
/// Returns the data type of that name. Null if it is not known.
[[nodiscard]] std::optional<TorchDatatype> torchDatatype(std::string_view name);

/// Parses a list of ranks such as "[0, 1, 2]".
[[nodiscard]] std::vector<std::int64_t> ranksOfText(std::string_view text);

} // namespace ringside::importers
