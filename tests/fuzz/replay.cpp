// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target without libFuzzer: on every file of a corpus, on every truncation at a few lengths, and
// on mutations drawn from a fixed seed. replay CORPUS_DIRECTORY
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

constexpr int kMutations = 300;

using Bytes = std::vector<std::uint8_t>;

Bytes mutated(Bytes bytes, std::mt19937& random)
{
    const std::size_t changes = 1 + random() % 16;
    for (std::size_t i = 0; i < changes; ++i) {
        bytes[random() % bytes.size()] = static_cast<std::uint8_t>(random() % 3 == 0 ? 0xFF : random());
    }
    if (random() % 4 == 0) {
        bytes.resize(random() % bytes.size());
    }
    return bytes;
}

} // namespace

int main(int count, char** arguments)
{
    if (count != 2) {
        std::fprintf(stderr, "usage: replay CORPUS_DIRECTORY\n");
        return 2;
    }
    std::mt19937 random(1);
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(arguments[1])) {
        std::ifstream file(entry.path(), std::ios::binary);
        const Bytes seed((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
        LLVMFuzzerTestOneInput(seed.data(), seed.size());
        for (int i = 0; i < kMutations && !seed.empty(); ++i) {
            const Bytes input = mutated(seed, random);
            LLVMFuzzerTestOneInput(input.data(), input.size());
        }
        ++files;
    }
    std::printf("%d seeds, %d mutations of each\n", files, kMutations);
    return files > 0 ? 0 : 1;
}
