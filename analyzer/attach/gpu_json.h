// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "attach/gpu.h"
#include "output/json_value.h"

namespace ringside::attach {

[[nodiscard]] Json toJson(const Gpu& gpu);
[[nodiscard]] Json toJson(const Gpus& gpus);

} // namespace ringside::attach
