// SPDX-License-Identifier: Apache-2.0
// Reads the payloads of NCCL's NVTX ranges: communicator, message size, peer. An export contains them as
// JSON, as the recorded bytes, or (by default) not at all.
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
    std::optional<std::uint64_t> communicator;      ///< NCCL's commHash, the same on all ranks of it
    std::optional<std::uint64_t> bytes;             ///< size of the message as the NCCL call counts it
    std::optional<std::int64_t> peer;               ///< peer of a send or receive, or the root
    std::optional<std::int64_t> reduction;          ///< ncclRedOp_t
    std::optional<std::int64_t> size, rank, device; ///< of a communicator that the call creates

    [[nodiscard]] bool empty() const { return !communicator && !bytes && !size; }
};

/// The layouts of recorded payloads, by schema.
class PayloadSchemas final {
public:
    explicit PayloadSchemas(ExportFile& file);
    /// Decodes a payload. Null if its schema is not known or the bytes are too short.
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

/// Parses a payload such as {"NCCL communicator ID": 1, "Message size [bytes]": 2}. Null if it is invalid or
/// contains neither communicator nor sizes.
[[nodiscard]] std::optional<Payload> payloadOfJson(std::string_view text);

} // namespace ringside::importers::nsys
