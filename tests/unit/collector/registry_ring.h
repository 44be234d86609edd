// SPDX-License-Identifier: Apache-2.0
// A registry whose ring is in memory, and what a process that dies now would leave in it.
#pragma once
#include "record/registry.h"
#include "support/temporary_directory.h"

#include <ringside/trace/reader.h>
#include <ringside/trace/ring_decoder.h>

#include <stdlib.h>

#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace ringside::test {

struct RegistryRing {
    RegistryRing()
    {
        ring.header().role = trace::RingRole::Definitions;
        ring.header().clock = trace::ClockKind::Monotonic;
    }

    [[nodiscard]] int recordsOf(trace::RecordKind kind)
    {
        int count = 0;
        const std::byte* slots = ring.mapping().data() + trace::kRingHeaderBytes;
        for (std::uint64_t at = 0; at < ring.header().head.load();) {
            trace::CommitWord word{};
            std::memcpy(&word, slots + at * trace::kSlotBytes, sizeof word);
            count += word.kind == kind ? 1 : 0;
            at += word.slots;
        }
        return count;
    }

    [[nodiscard]] std::vector<trace::WindowRow> windows(std::uint64_t from = 0) const
    {
        const TemporaryDirectory directory;
        trace::Writer writer(directory / "a.db", trace::Writer::Mode::Create);
        trace::RingDecoder(writer).decode(ring.mapping(), from);
        writer.setProcess({});
        writer.close();
        return trace::readProcess(directory / "a.db").windows;
    }

    static constexpr std::size_t kBytes = trace::kRingHeaderBytes + (std::size_t{1} << 20);
    std::vector<std::uint64_t> memory = std::vector<std::uint64_t>(kBytes / 8);
    collector::Ring ring{std::as_writable_bytes(std::span(memory)), "definitions"};
    std::unique_ptr<collector::Registry> registry = std::make_unique<collector::Registry>(ring);
};

} // namespace ringside::test
