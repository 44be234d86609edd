// SPDX-License-Identifier: Apache-2.0
// One step, or one batch of evaluation, of models that lie on several GPUs.
#pragma once
#include "support/framework_patterns.h"

namespace ringside::test {

Script tensorParallel(const JobShape& shape, int rank);
Script tensorAccumulation(const JobShape& shape, int rank);
Script tensorAndData(const JobShape& shape, int rank);
Script tensorEvaluation(const JobShape& shape, int rank);
Script sequenceParallel(const JobShape& shape, int rank);
Script pipeline(const JobShape& shape, int rank);
Script pipelineMiddle(const JobShape& shape, int rank);
Script pipelineAndData(const JobShape& shape, int rank);
Script pipelineInterleaved(const JobShape& shape, int rank);
Script experts(const JobShape& shape, int rank);

} // namespace ringside::test
