// SPDX-License-Identifier: Apache-2.0
// Scans traceEvents. Several threads scan stretches of a plain file. A stretch begins at what looks like the
// beginning of an event. The guess is confirmed if the previous stretch ends exactly there. Otherwise the
// stretch is scanned again from the right position, so the result never depends on the guess.
#pragma once
#include "import/kineto/rows.h"
#include "import/kineto/window.h"

namespace ringside::importers::kineto {

enum class End : std::uint8_t {
    Limit,  ///< at the limit of the stretch; more events follow
    Closed, ///< at the end of the array
    File    ///< at the end of the file or its gzip stream; the array was not closed
};

struct Scanned {
    Rows rows;
    std::uint64_t begin = 0; ///< offset of the first event
    std::uint64_t end = 0;   ///< offset of the next event, or after the array
    End how = End::File;
    std::int64_t damaged = 0;      ///< number of positions at which there is no valid event
    std::uint64_t firstDamage = 0; ///< offset of the first of them
    bool insideEvent = false;      ///< whether the file ended inside an event
};

/// What follows in the event array.
enum class Next : std::uint8_t { Event, Closed, Strange, NeedsMore };
/// Moves the cursor to the next element, over white space and commas.
[[nodiscard]] Next nextElement(JsonCursor& cursor);

/// Scans the events from the window on that begin before the offset `limit`.
[[nodiscard]] Scanned scanStretch(Window& window, std::uint64_t limit);

/// Moves the window to the next event at or after `offset`. Returns false if there is none.
bool findEvent(Window& window, std::uint64_t offset);

/// Scans all events of a file. The window must be at the first element of the array. If the file is plain,
/// `threads` threads share the work.
[[nodiscard]] Scanned scanEvents(const File& file, Window& window, unsigned threads, Progress& progress);

} // namespace ringside::importers::kineto
