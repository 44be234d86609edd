// SPDX-License-Identifier: Apache-2.0
// A part of the collector that takes part in the passes of the drain thread.
#pragma once
#include "record/options.h"
#include "record/registry.h"

#include <ringside/trace/writer.h>

namespace ringside::collector {

/// A part of the collector that works on the drain thread. Its functions are called on that thread only.
/// They may throw, which stops the recording.
class Participant {
public:
    virtual ~Participant() = default;
    /// Called before the first record is read, for a part that observes the writer's rows.
    virtual void watch(trace::Writer& /*writer*/) {}
    virtual void begin(trace::Writer& writer, const Options& options) = 0;
    virtual void pass(trace::Writer& writer, Registry& registry) = 0;
    /// Called on all parts before the first end(): removes what others see of the running process.
    virtual void withdraw() {}
    virtual void end(trace::Writer& writer, Registry& registry) = 0;
    /// Called instead of end() if the trace cannot be written any more. Releases what the part holds in
    /// the program.
    virtual void abandon() {}
};
} // namespace ringside::collector
