// SPDX-License-Identifier: Apache-2.0
// Maps the category of an event to its kind. The names changed with PyTorch's versions; all are listed.
// Source: Kineto, libkineto/include/ActivityType.h and src/output_json.cpp, and PyTorch 1.8 for the old
// names.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

namespace ringside::importers::kineto {

enum class Category : std::uint8_t {
    Range, ///< operators, annotations, and unknown categories
    Kernel,
    Copy,
    Set,
    ApiCall,
    PythonFunction,
    // The following are left out and counted.
    DeviceAnnotation, ///< the host's annotations, repeated on the device
    Synchronisation,
    Overhead,
    Span,
    Count ///< number of the categories above
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

/// Returns the kind of a category; Range if the name is unknown.
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
