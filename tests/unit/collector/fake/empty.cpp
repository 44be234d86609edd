// SPDX-License-Identifier: Apache-2.0
// A library that only brings others along.
