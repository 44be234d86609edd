# A registry from file names: every FILE defines `entry` of TYPE in a namespace of its own, NAMESPACE::<prefix><file name>, so that files
# use the same names (run, kOptions) even where the compiler sees several of them at once. all(), or FUNCTION, lists the entries in the
# order of the names. A file without its entry does not link; nothing depends on static constructors.
#   ringside_generate_registry(target PREFIX rule_ TYPE ringside::rules::Rule HEADER rules/rule.h NAMESPACE ringside::rules FILES ...)
function(ringside_generate_registry target)
  cmake_parse_arguments(arg "" "PREFIX;TYPE;HEADER;NAMESPACE;FUNCTION" "FILES" ${ARGN})
  if(NOT arg_FUNCTION)
    set(arg_FUNCTION all)
  endif()
  list(SORT arg_FILES)
  set(declarations "")
  set(references "")
  list(LENGTH arg_FILES count)
  foreach(file IN LISTS arg_FILES)
    cmake_path(GET file STEM name)
    string(APPEND declarations "namespace ${arg_PREFIX}${name} {\nextern const ${arg_TYPE} entry;\n}\n")
    string(APPEND references "        &${arg_PREFIX}${name}::entry,\n")
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${target}_${arg_PREFIX}registry.cpp)
  file(CONFIGURE OUTPUT ${output} @ONLY CONTENT
"// Generated from file names by analyzer/cmake/registry.cmake.
#include \"@arg_HEADER@\"

#include <array>

namespace @arg_NAMESPACE@ {
@declarations@
std::span<const @arg_TYPE@* const> @arg_FUNCTION@()
{
    static constexpr std::array<const @arg_TYPE@*, @count@> list{
@references@    };
    return list;
}
} // namespace @arg_NAMESPACE@
")
  target_sources(${target} PRIVATE ${output} ${arg_FILES})
endfunction()
