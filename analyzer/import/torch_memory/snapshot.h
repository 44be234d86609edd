// SPDX-License-Identifier: Apache-2.0
// Reads a snapshot of PyTorch's allocator of GPU memory, as torch.cuda.memory._dump_snapshot writes it. Names
// of fields are those of torch/csrc/cuda/Module.cpp and memory_snapshot.cpp, from 2.0 (blocks with `history`)
// to 2.x (blocks with `frames`); the meaning of sizes is that of c10/cuda/CUDACachingAllocator.cpp: a segment
// and a block have the size that was reserved, an event has the size that the program asked for.
#pragma once
#include "import/pickle/values.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace ringside::importers::torch_memory {

enum class Use : std::uint8_t {
    Free,
    Allocated,
    AwaitsFree, ///< the program freed it, but another stream may still use it
};

/// A piece of a segment.
struct Block {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    std::int64_t requested = 0; ///< bytes that the program asked for; 0 if it is free
    Use use = Use::Free;
    pickle::ValueId frames = pickle::Values::kNone; ///< of its allocation
};

/// Memory that the allocator got from CUDA at once.
struct Segment {
    std::int64_t address = 0;
    std::int64_t bytes = 0;
    bool expandable = false;   ///< parts of it can be given back to CUDA
    std::vector<Block> blocks; ///< by address; they fill it
};

enum class Action : std::uint8_t { Allocate, Free, Reserve, Release, OutOfMemory };

struct Event {
    Action action = Action::Allocate;
    std::int64_t address = 0; ///< of an out-of-memory: bytes that CUDA had left
    std::int64_t bytes = 0;
    std::optional<std::int64_t> dateNs; ///< since 1970; PyTorch 2.0 does not tell
    pickle::ValueId frames = pickle::Values::kNone;
    pickle::ValueId category = pickle::Values::kNone; ///< text that the program gave to its allocations
};

struct Device {
    std::vector<Segment> segments;
    std::vector<Event> history; ///< oldest first; PyTorch keeps the last ones
};

struct Snapshot {
    std::map<std::int64_t, Device> devices; ///< by CUDA's number
    bool found = false;                     ///< whether it has segments or histories at all
    std::int64_t damaged = 0;               ///< segments and events that lack what they must have
    std::int64_t contradictory = 0;         ///< segments whose blocks do not fill them, or lie in another's
};

/// Contradictory and damaged parts are left out and counted.
[[nodiscard]] Snapshot readSnapshot(const pickle::Document& document);

} // namespace ringside::importers::torch_memory
