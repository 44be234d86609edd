// SPDX-License-Identifier: Apache-2.0
// What an event's category means. The names changed with the versions of PyTorch; those of all are known.
// Source: kineto, libkineto/include/ActivityType.h and src/output_json.cpp, and PyTorch 1.8 for the old ones.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ringside::importers::kineto {

enum class Category : std::uint8_t {
    Range, ///< operators, annotations, and whatever nobody here knows
    Kernel,
    Copy,
    Set,
    ApiCall,
    // From here on: left out, and counted.
    PythonFunction,
    DeviceAnnotation, ///< the host's annotations, drawn once more over the kernels
    Synchronisation,
    Overhead,
    Span,
    Count ///< number of those above
};
inline constexpr std::size_t kCategories = static_cast<std::size_t>(Category::Count);

struct CategoryName {
    std::string_view name;
    Category category;
};
inline constexpr std::array kCategoryNames{CategoryName{"cpu_op", Category::Range},
                                           CategoryName{"user_annotation", Category::Range},
                                           CategoryName{"kernel", Category::Kernel},
                                           CategoryName{"Kernel", Category::Kernel},
                                           CategoryName{"gpu_memcpy", Category::Copy},
                                           CategoryName{"Memcpy", Category::Copy},
                                           CategoryName{"gpu_memset", Category::Set},
                                           CategoryName{"Memset", Category::Set},
                                           CategoryName{"cuda_runtime", Category::ApiCall},
                                           CategoryName{"cuda_driver", Category::ApiCall},
                                           CategoryName{"Runtime", Category::ApiCall},
                                           CategoryName{"python_function", Category::PythonFunction},
                                           CategoryName{"gpu_user_annotation", Category::DeviceAnnotation},
                                           CategoryName{"cuda_sync", Category::Synchronisation},
                                           CategoryName{"cuda_event", Category::Synchronisation},
                                           CategoryName{"overhead", Category::Overhead},
                                           CategoryName{"Trace", Category::Span}};

[[nodiscard]] inline Category categoryOf(std::string_view name)
{
    for (const CategoryName& entry : kCategoryNames) {
        if (entry.name == name) {
            return entry.category;
        }
    }
    return Category::Range;
}

} // namespace ringside::importers::kineto
