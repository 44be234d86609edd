// SPDX-License-Identifier: Apache-2.0
#include "unique_id.h"

#include "errors.h"

#include <netinet/in.h>
#include <sys/random.h>

#include <cstring>

namespace ringside::nccl {
namespace {

constexpr std::array<char, 8> kTag = {'R', 'S', 'N', 'C', 'C', 'L', '0', '1'};

struct Layout {
    std::array<char, 8> tag;
    Secret secret;
    sockaddr_in6 server; ///< large enough for both families
    std::uint32_t length;
};
static_assert(sizeof(Layout) <= NCCL_UNIQUE_ID_BYTES);

} // namespace

Secret makeSecret()
{
    Secret secret{};
    if (::getrandom(secret.data(), secret.size(), 0) != static_cast<ssize_t>(secret.size()))
        throw Failure(ncclSystemError, "cannot draw random bytes for a unique id");
    return secret;
}

std::uint64_t hashOf(const UniqueId& id)
{
    std::uint64_t hash = 14695981039346656037U; // FNV-1a
    for (const char byte : id.secret)
        hash = (hash ^ static_cast<unsigned char>(byte)) * 1099511628211U;
    return hash;
}

ncclUniqueId encode(const UniqueId& id)
{
    Layout layout{};
    layout.tag = kTag;
    layout.secret = id.secret;
    layout.length = id.server.length;
    std::memcpy(&layout.server, &id.server.storage, id.server.length);
    ncclUniqueId bytes{};
    std::memcpy(bytes.internal, &layout, sizeof layout);
    return bytes;
}

UniqueId decode(const ncclUniqueId& bytes)
{
    Layout layout{};
    std::memcpy(&layout, bytes.internal, sizeof layout);
    if (layout.tag != kTag || layout.length > sizeof layout.server)
        throw Failure(ncclInvalidArgument, "the unique id does not come from the emulated NCCL: check that "
                                           "all ranks load the same libnccl.so.2");
    UniqueId id;
    id.secret = layout.secret;
    id.server.length = layout.length;
    std::memcpy(&id.server.storage, &layout.server, layout.length);
    return id;
}

} // namespace ringside::nccl
