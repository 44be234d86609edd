// SPDX-License-Identifier: Apache-2.0
// The PyTorch that `python3` imports: wheels contain their own NCCL and CUDA, which the loader's path does
// not show.
#include "doctor/gatherer.h"

#include <array>
#include <cstdio>
#include <memory>

namespace ringside::doctor::gatherer_pytorch {
namespace {

// Importing PyTorch takes seconds, and longer from a cold network file system.
constexpr const char* kCommand =
    "timeout 60 python3 -c 'import torch\n"
    "print(\"library.pytorch\", torch.__version__)\n"
    "print(\"library.pytorch.cuda\", torch.version.cuda or \"none\")\n"
    "print(\"library.pytorch.nccl\", \".\".join(map(str, torch.cuda.nccl.version())))' 2>/dev/null";

void gather(const Root& root, Facts& facts)
{
    if (!root.live()) {
        return;
    }
    const auto end = [](std::FILE* pipe) { pclose(pipe); };
    const std::unique_ptr<std::FILE, decltype(end)> pipe(popen(kCommand, "re"), end);
    std::array<char, 512> line{};
    while (pipe != nullptr && std::fgets(line.data(), line.size(), pipe.get()) != nullptr) {
        const std::string text(line.data());
        const std::size_t blank = text.find(' ');
        if (text.starts_with("library.pytorch") && blank != std::string::npos) {
            facts.set(text.substr(0, blank), text.substr(blank + 1, text.find('\n') - blank - 1));
        }
    }
}

} // namespace

RINGSIDE_GATHERER(gather);

} // namespace ringside::doctor::gatherer_pytorch
