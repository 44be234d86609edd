// SPDX-License-Identifier: Apache-2.0
// Must not compile: the compiler looks a literal up in the list of its words. With RINGSIDE_SPELT_WELL it
// compiles. RINGSIDE_FACT_NAME is the name of a fact.
#include <ringside/trace/rows.h>

#ifdef RINGSIDE_FACT_NAME
const ringside::trace::Fact kFact("machine", RINGSIDE_FACT_NAME);
#endif

bool isOfNetwork(const ringside::trace::SettingRow& row)
{
#ifdef RINGSIDE_SPELT_WELL
    return row.source == "network";
#else
    return row.source == "netwrok";
#endif
}
