// SPDX-License-Identifier: Apache-2.0
// What NCCL adds to its NVTX ranges: communicator, message size, peer. An export holds it as JSON, as the
// recorded bytes, or (by default) not at all.
#pragma once
#include "import/nsys/export_file.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ringside::importers::nsys {

struct Payload {
    std::optional<std::uint64_t> communicator;      ///< NCCL's commHash, the same on all its ranks
    std::optional<std::uint64_t> bytes;             ///< of the message, as the call counts it
    std::optional<std::int64_t> peer;               ///< of a send or receive, or the root
    std::optional<std::int64_t> reduction;          ///< ncclRedOp_t
    std::optional<std::int64_t> size, rank, device; ///< of a communicator that is made

    [[nodiscard]] bool empty() const { return !communicator && !bytes && !size; }
};

/// How the recorded bytes are laid out: fields by schema.
class PayloadSchemas final {
public:
    explicit PayloadSchemas(ExportFile& file);
    /// Nothing where the bytes are of no known schema, or too short for it.
    [[nodiscard]] std::optional<Payload> decode(std::span<const unsigned char> blob) const;

private:
    struct Field {
        std::uint64_t offset = 0;
        std::uint32_t width = 0;
        std::optional<std::int64_t> Payload::*number = nullptr;
        std::optional<std::uint64_t> Payload::*size = nullptr;
    };
    std::map<std::int64_t, std::vector<Field>> m_fields; ///< by schema id
};

/// Of {"NCCL communicator ID": 1, "Message size [bytes]": 2, ...}.
[[nodiscard]] std::optional<Payload> payloadOfJson(std::string_view text);

} // namespace ringside::importers::nsys
