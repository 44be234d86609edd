// SPDX-License-Identifier: Apache-2.0
// The same source as C++: the header is for both.
#include "marked.c"
