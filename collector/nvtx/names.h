// SPDX-License-Identifier: Apache-2.0
// Texts for which NVTX returns handles: domains and registered strings. A text gets its string id at the
// first recorded event, so that a program that only registers names starts no recording. A handle is the
// address of a Name, or the handle of a chained tool, which the program gets then, so that functions
// that are not hooked work with it too.
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
/// NVTX's handle types: pointers to a domain or a registered string.
using Handle = void*;

/// Never freed: programs use handles until they end.
Name* makeName(std::string_view text);
/// Creates a handle for a text.
Handle makeHandle(std::string_view text);
/// Makes every handle be looked up, because another tool creates some. Call it before the first handle
/// exists.
void expectOtherHandles();
/// Registers the text of another tool's handle, and returns the handle.
Handle adoptHandle(Handle theirs, std::string_view text);
/// Returns null for the default domain, for no message and for an unknown handle.
Name* nameOf(const void* handle);
/// Whether makeHandle() created `handle`.
bool isOurHandle(const void* handle);

/// Registers a schema or enumeration of the payload extension. `theirs`: its id in a chained tool.
/// Returns the id for the program.
std::uint64_t registerSchema(Name* domain, const SchemaAttributes& schema,
                             const std::optional<std::uint64_t>& theirs);
std::uint64_t registerEnum(Name* domain, const EnumAttributes& enumeration,
                           const std::optional<std::uint64_t>& theirs);

StringId idOf(Name* name);
/// Converts from UTF-32, which wchar_t is on Linux.
std::string toUtf8(const wchar_t* text);

} // namespace ringside::collector::nvtx
