// SPDX-License-Identifier: Apache-2.0
// Facts of other hosts: the user's launcher starts this program on each of them, and it answers on stdout.
// Each fact is one line, so that answers of many hosts may be mixed.
#pragma once
#include "doctor/facts.h"

namespace ringside::cli {

/// Writes the answer of this host: lines ["host", "fact", "value"], then ["host", count].
void writeFacts(const doctor::Host& host);

/// Runs `launcher`, by the shell, with this program's `doctor --facts` appended. Throws ringside::Error
/// (Unusable) if no host answers or if the answer of a host, which it names, is incomplete.
[[nodiscard]] std::vector<doctor::Host> factsOfHosts(const std::string& launcher);

/// Parses the output of writeFacts, which a file of that name holds. Throws ringside::Error (Unusable) if it
/// is not the complete answer of one host.
[[nodiscard]] doctor::Facts factsIn(const std::string& path, const std::string& text);

} // namespace ringside::cli
