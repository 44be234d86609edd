// SPDX-License-Identifier: Apache-2.0
// A ring in memory.
#pragma once
#include "record/ring.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ringside::test {

struct SampledRing {
    explicit SampledRing(std::size_t slots) : words((4096 + slots * 32) / 8) {}
    std::vector<std::uint64_t> words;
    collector::Ring ring{std::as_writable_bytes(std::span(words)), ""};
    [[nodiscard]] std::uint64_t head() { return ring.header().head.load(); }
};

} // namespace ringside::test
