// SPDX-License-Identifier: Apache-2.0
// The facts of a host as a recording of one moment, so that the conditions and rules of a report judge them.
#pragma once
#include "conditions/subject.h"
#include "doctor/facts.h"

#include <ringside/trace/reader.h>

namespace ringside::doctor {

/// Returns a run of one process without ranks, with one reading of each port and GPU.
[[nodiscard]] trace::RunTrace recordedOf(const Facts& facts);
/// Returns the facts of the host that rows of the table read.
[[nodiscard]] conditions::Subject hostOf(const Facts& facts);

} // namespace ringside::doctor
