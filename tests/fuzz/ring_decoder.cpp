// SPDX-License-Identifier: Apache-2.0
// Fuzz target: any bytes as a ring give rows or an issue. The trace stays in memory.
#include <ringside/trace/ring_decoder.h>

#include <algorithm>
#include <cstdint>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::vector<std::uint64_t> words((size + 7) / 8); // aligned, as a mapping is
    const auto bytes = std::as_writable_bytes(std::span(words)).first(size);
    std::copy_n(reinterpret_cast<const std::byte*>(data), size, bytes.begin());
    ringside::trace::Writer writer(":memory:", ringside::trace::Writer::Mode::Create);
    ringside::trace::RingDecoder decoder(writer);
    const std::uint64_t end = decoder.decode(bytes, 0);
    if (end > size / ringside::trace::kSlotBytes) {
        __builtin_trap(); // more slots than bytes
    }
    decoder.decodeInFlight(bytes);
    writer.commit();
    return 0;
}
