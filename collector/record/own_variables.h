// SPDX-License-Identifier: Apache-2.0
// Changes variables of the environment before main, without harm to a program that reads main's third
// argument.
#pragma once

namespace ringside::collector {

/// Sets a variable, or removes it if `value` is null. Call it from constructors only.
///
/// After setenv the environment is an array of libc. main gets that array as its third argument, and libc
/// frees it when the program sets its next variable. So `environ` becomes a copy that libc does not own and
/// that is never freed.
void changeVariable(const char* name, const char* value);

} // namespace ringside::collector
