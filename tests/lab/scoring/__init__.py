# SPDX-License-Identifier: Apache-2.0
"""How scenarios are run, judged and counted. ../scenarios says which there are."""
