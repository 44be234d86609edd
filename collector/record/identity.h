// SPDX-License-Identifier: Apache-2.0
// Who this process is: host, command, rank, and the settings that matter. Of the environment only an
// allow-list of names is stored, and values that look like secrets are redacted; of the command line only the
// program and its script.
#pragma once
#include "record/ring_store.h"

#include <ringside/trace/writer.h>

#include <optional>
#include <string>
#include <string_view>

namespace ringside::collector {

/// A base name that no file in `runDirectory` has yet.
ProcessNames nameProcess(const std::string& runDirectory);
trace::ProcessRow describeProcess(const ProcessNames& names, std::int64_t startNs);
/// What the launcher's variables say; nothing without them.
std::optional<trace::RankRow> rankFromEnvironment();

void writeIdentity(trace::Writer& writer, const ProcessNames& names, std::int64_t startNs);

} // namespace ringside::collector
