// SPDX-License-Identifier: Apache-2.0
// Scans traceEvents, in stretches by several threads where the file is plain. A stretch begins at what looks
// like the begin of an event; whether it was one shows when the stretch before ends exactly there. Where it
// does not, the stretch is scanned again from the right place, so the result never depends on the guess.
#pragma once
#include "import/kineto/rows.h"
#include "import/kineto/window.h"

namespace ringside::importers::kineto {

enum class End : std::uint8_t {
    Limit,  ///< of the stretch: more events follow
    Closed, ///< the array ends there
    File    ///< the file ends (or its gzip stream): the array was not closed
};

struct Scanned {
    Rows rows;
    std::uint64_t begin = 0; ///< offset of the first event
    std::uint64_t end = 0;   ///< where the scan ended: a begin of an event, or behind the array
    End how = End::File;
    std::int64_t damaged = 0;      ///< places that are no events
    std::uint64_t firstDamage = 0; ///< offset
    bool insideEvent = false;      ///< the file ended within one
};

/// Where the event array goes on.
enum class Next : std::uint8_t { Event, Closed, Strange, NeedsMore };
/// Moves to the next element, over white space and commas.
[[nodiscard]] Next nextElement(JsonCursor& cursor);

/// Scans the events from `window` on that begin before the offset `limit`.
[[nodiscard]] Scanned scanStretch(Window& window, std::uint64_t limit);

/// Moves the window to the next event at or behind `offset`; false: there is none.
bool findEvent(Window& window, std::uint64_t offset);

/// All events of a file whose array's first element begins at `window`. Of a plain file, `threads` share it.
[[nodiscard]] Scanned scanEvents(const File& file, Window& window, unsigned threads, Progress& progress);

} // namespace ringside::importers::kineto
