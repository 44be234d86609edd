# Templates of texts from file names: FILES are families/NAME.def, lines of RINGSIDE_TEXT(name, "words"). Makes, below the build folder,
# words/NAME.h with a constant for each line in namespace ringside::words::NAME, and the list of all of them for words/catalogue.h.
function(ringside_generate_words target)
  cmake_parse_arguments(arg "" "" "FILES" ${ARGN})
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/words)
  list(SORT arg_FILES)
  set(includes "")
  set(references "")
  foreach(file IN LISTS arg_FILES)
    cmake_path(GET file STEM name)
    file(CONFIGURE OUTPUT ${folder}/words/${name}.h @ONLY CONTENT
"// Generated from families/@name@.def by analyzer/cmake/words.cmake.
#pragma once
#include \"words/text.h\"

namespace ringside::words::@name@ {
#define RINGSIDE_TEXT(name, words) inline constexpr Template name{\"@name@.\" #name, words};
#include \"words/families/@name@.def\"
#undef RINGSIDE_TEXT
} // namespace ringside::words::@name@
")
    string(APPEND includes "#include \"words/${name}.h\"\n")
    string(APPEND references
      "#define RINGSIDE_TEXT(name, words) &${name}::name,\n#include \"words/families/${name}.def\"\n#undef RINGSIDE_TEXT\n")
  endforeach()
  file(CONFIGURE OUTPUT ${folder}/catalogue.cpp @ONLY CONTENT
"// Generated from families/*.def by analyzer/cmake/words.cmake.
#include \"words/catalogue.h\"

@includes@
#include <algorithm>

namespace ringside::words {

std::span<const Template* const> allTemplates()
{
    static constexpr const Template* kAll[] = {
@references@    };
    return kAll;
}

const Template* findTemplate(std::string_view id)
{
    const auto all = allTemplates();
    const auto found = std::ranges::find(all, id, &Template::id);
    return found == all.end() ? nullptr : *found;
}

} // namespace ringside::words
")
  target_sources(${target} PRIVATE ${folder}/catalogue.cpp)
  target_include_directories(${target} PUBLIC ${folder})
endfunction()
