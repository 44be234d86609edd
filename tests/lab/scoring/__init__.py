# SPDX-License-Identifier: Apache-2.0
"""Runs, judges and counts the scenarios of ../scenarios."""
