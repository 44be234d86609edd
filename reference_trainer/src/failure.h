// SPDX-License-Identifier: Apache-2.0
// The trainer's only exception: what went wrong, where, and what to do about it.
#pragma once
#include <stdexcept>

namespace ringside::trainer {

class Failure final : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

} // namespace ringside::trainer
