// SPDX-License-Identifier: Apache-2.0
// The identity of this process: host, command, rank, settings. Of the environment only variables on an
// allow-list are stored, and values that look like secrets are redacted. Of the command line only the
// program and its script are stored.
#pragma once
#include "record/ring_store.h"

#include <ringside/trace/writer.h>

#include <string>
#include <string_view>

namespace ringside::collector {

/// Returns a base name that no file in `runDirectory` has yet.
ProcessNames nameProcess(const std::string& runDirectory);
trace::ProcessRow describeProcess(const ProcessNames& names, std::int64_t startNs);
void writeIdentity(trace::Writer& writer, const ProcessNames& names, std::int64_t startNs);

} // namespace ringside::collector
