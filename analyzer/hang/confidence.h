// SPDX-License-Identifier: Apache-2.0
// How sure a verdict is: by the number of witnesses that agree, and by what is not known.
#pragma once
#include "hang/hang.h"

namespace ringside::hang {

/// Sets the report's confidence and its reasons. It is high if several witnesses agree and nothing speaks
/// against the verdict; it is low if another rank may be the origin.
void weigh(Report& report);

} // namespace ringside::hang
