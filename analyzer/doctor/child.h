// SPDX-License-Identifier: Apache-2.0
// Code of others (drivers' libraries) runs in a process of its own, since it may crash or hang.
#pragma once
#include <functional>
#include <string>

namespace ringside::doctor {

/// What `tell` writes into the descriptor it gets, in a forked child that is ended after some seconds. Empty:
/// it wrote nothing, or could not be started. Of a child that did not end well, what it had written.
[[nodiscard]] std::string answerOfChild(const std::function<void(int out)>& tell);

} // namespace ringside::doctor
