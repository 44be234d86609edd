# SPDX-License-Identifier: Apache-2.0
# ringside_platform_library(NAME STATUS): gives the target ringside_platform_NAME the real one's soname, symbol version and
# complete list of symbols (exports.txt in the same folder: a line has all forms of a function). Symbols that we do not implement
# get a generated weak stub that returns STATUS and says so once; an implementation is strong and takes its place. The file is libNAME.so.13 with a version
# of that name on every symbol; OUTPUT_NAME and SOVERSION say otherwise, and UNVERSIONED for a real one without symbol versions.
function(ringside_platform_library name status)
  cmake_parse_arguments(PARSE_ARGV 2 arg "UNVERSIONED" "OUTPUT_NAME;SOVERSION" "")
  if(NOT arg_OUTPUT_NAME)
    set(arg_OUTPUT_NAME ${name})
  endif()
  if(NOT arg_SOVERSION)
    set(arg_SOVERSION 13)
  endif()
  set(node lib${arg_OUTPUT_NAME}.so.${arg_SOVERSION})
  if(arg_UNVERSIONED)
    set(node "")
  endif()
  set(target ringside_platform_${name})
  set(exports ${CMAKE_CURRENT_SOURCE_DIR}/exports.txt)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${exports})
  file(STRINGS ${exports} symbols)
  string(REPLACE " " ";" symbols "${symbols}")
  set(stubs "#include \"platform.h\"\n\nextern \"C\" {\n")
  foreach(symbol IN LISTS symbols)
    string(APPEND stubs "__attribute__((weak)) int ${symbol}()\n{\n    static int said;\n"
      "    return ringside_platform_stub(\"${symbol}\", &said, ${status});\n}\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/stubs.cpp CONTENT "${stubs}}\n" @ONLY)
  list(JOIN symbols ";\n    " globals)
  set(map "${node} {\n  global:\n    ${globals};\n  local: *;\n};\n")
  if(name STREQUAL "cudart")
    string(APPEND map "RINGSIDE_PLATFORM {\n  global: ringside_platform_*;\n};\n")
  endif()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/exports.map CONTENT "${map}" @ONLY)

  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/stubs.cpp)
  target_link_libraries(${target} PUBLIC ringside_platform_headers
    PRIVATE ringside_build_options Threads::Threads ${CMAKE_DL_LIBS})
  # nodelete: threads of ours live on after a dlclose.
  target_link_options(${target} PRIVATE LINKER:--version-script=${CMAKE_CURRENT_BINARY_DIR}/exports.map
    LINKER:-z,nodelete)
  if(NOT RINGSIDE_SANITIZE)   # sanitizers leave their own symbols undefined in shared libraries
    target_link_options(${target} PRIVATE LINKER:-z,defs)
  endif()
  set_target_properties(${target} PROPERTIES OUTPUT_NAME ${arg_OUTPUT_NAME} SOVERSION ${arg_SOVERSION}
    CXX_VISIBILITY_PRESET default
    BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN" LINK_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/exports.map)
endfunction()
