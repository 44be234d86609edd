// SPDX-License-Identifier: Apache-2.0
// What PyTorch calls collectives, types and groups, in NCCL's words.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ringside::importers {

/// Lower case, letters and digits only: "_allgather_base", "nccl:all_gather" and "AllGather" are one word.
[[nodiscard]] std::string wordOf(std::string_view text);

/// NCCL's function behind what PyTorch or a kernel's name calls it; empty: several could be.
[[nodiscard]] std::string_view ncclFunctionOf(std::string_view text);

struct TorchDatatype {
    std::string_view name; ///< as c10::ScalarType prints it
    std::uint64_t bytes;
    std::optional<std::int64_t> nccl; ///< ncclDataType_t (nccl.h); null: NCCL has none of it
};
/// Null: not one that is known.
[[nodiscard]] std::optional<TorchDatatype> torchDatatype(std::string_view name);

/// "[0, 1, 2]".
[[nodiscard]] std::vector<std::int64_t> ranksOfText(std::string_view text);

} // namespace ringside::importers
