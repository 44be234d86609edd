// SPDX-License-Identifier: Apache-2.0
// The emulated NVML reads its script once, so every case is a child process.
#pragma once
#include <nvml.h>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>

namespace ringside::test {

/// Runs `body` with NVML initialised and this script (none: null) in a child, where EXPECT works as usual.
template <class Body>
void withScript(const char* script, Body&& body)
{
    const std::filesystem::path file =
        std::filesystem::temp_directory_path() / ("ringside-nvml-" + std::to_string(getpid()));
    const pid_t child = fork();
    if (child == 0) {
        if (script != nullptr) {
            std::ofstream(file) << script;
            setenv("RINGSIDE_NVML_SCRIPT", file.c_str(), 1);
        }
        EXPECT_EQ(nvmlInit(), NVML_SUCCESS);
        body();
        std::cout.flush();
        std::fflush(nullptr);
        _exit(testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
    std::filesystem::remove(file);
}

inline nvmlDevice_t device(unsigned index)
{
    nvmlDevice_t handle = nullptr;
    EXPECT_EQ(nvmlDeviceGetHandleByIndex(index, &handle), NVML_SUCCESS);
    return handle;
}

/// One reading, -1 where it is not supported.
template <class Number, class... Arguments>
double reading(nvmlReturn_t (*function)(nvmlDevice_t, Arguments..., Number*), nvmlDevice_t of,
               Arguments... arguments)
{
    Number value{};
    const nvmlReturn_t result = function(of, arguments..., &value);
    EXPECT_TRUE(result == NVML_SUCCESS || result == NVML_ERROR_NOT_SUPPORTED) << result;
    return result == NVML_SUCCESS ? static_cast<double>(value) : -1;
}

} // namespace ringside::test
