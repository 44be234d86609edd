// SPDX-License-Identifier: Apache-2.0
// Texts that NVTX gives out as handles: domains and registered strings. It gets its string id at the first
// event that is recorded, so that a program that only registers names starts nothing. A handle is the address
// of one of these, or what a chained tool gave: the program gets that one then, so that what we do not hook
// works with it as well.
#pragma once
#include "nvtx/nccl_ranges.h"
#include "nvtx/payload.h"
#include "record/session.h"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ringside::collector::nvtx {

struct Name {
    explicit Name(std::string_view theText);

    std::string text;
    std::optional<StepSource> step;       ///< when a range of this name is a training step
    NcclFunction nccl;                    ///< when one in NCCL's domain is a call
    std::unique_ptr<Schemas> ncclSchemas; ///< of domain "NCCL"; else null
    std::atomic<StringId> id{0};
};
/// As NVTX's headers name them: the program's pointer to a domain or a registered string.
using Handle = void*;

/// Never freed: programs use handles until their last breath.
Name* makeName(std::string_view text);
/// The handle of our own for a text.
Handle makeHandle(std::string_view text);
/// From now on every handle is looked up: another tool gives out some. Before the first handle.
void expectOtherHandles();
/// Remembers what another tool's handle stands for, and returns it.
Handle adoptHandle(Handle theirs, std::string_view text);
/// Null for the default domain, no message, and a handle that nobody knows.
Name* nameOf(const void* handle);
/// Whether `handle` came from makeHandle().
bool isOurHandle(const void* handle);

/// A schema or enumeration of the payload extension. `theirs`: what a chained tool calls it. Returns what the
/// program is to call it.
std::uint64_t registerSchema(Name* domain, const SchemaAttributes& schema,
                             const std::optional<std::uint64_t>& theirs);
std::uint64_t registerEnum(Name* domain, const EnumAttributes& enumeration,
                           const std::optional<std::uint64_t>& theirs);

StringId idOf(Name* name);
/// UTF-32, as wchar_t is on Linux.
std::string toUtf8(const wchar_t* text);

} // namespace ringside::collector::nvtx
