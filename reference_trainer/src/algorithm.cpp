// SPDX-License-Identifier: Apache-2.0
#include "algorithm.h"

#include "failure.h"
#include "launch_environment.h"

#include <fmt/format.h>

#include <cstdlib>

namespace ringside::trainer {

void chooseAlgorithm(const Options& options)
{
    if (options.algorithm.empty())
        return;
    // For all-reduces only: since NCCL 2.24, which introduced this form, a broadcast fails if the variable
    // leaves it no algorithm.
    const std::string value = "allreduce:" + options.algorithm;
    const std::optional<std::string> before = environmentVariable("NCCL_ALGO");
    if (before && *before != value)
        throw Failure(
            fmt::format("--algorithm {}: NCCL_ALGO is already \"{}\": unset it or remove the option",
                        options.algorithm, *before));
    setenv("NCCL_ALGO", value.c_str(), 1);
}

} // namespace ringside::trainer
