# RINGSIDE_PORTABLE: one binary for many systems. Nothing shared is linked but the C library, of a version that is old enough
# (README.md in this folder); included where the libraries are looked for.
set(CMAKE_FIND_LIBRARY_SUFFIXES .a)

# Debian has these two shared, and as headers.
foreach(target fmt::fmt fmt::fmt-header-only)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  set_target_properties(${target} PROPERTIES INTERFACE_COMPILE_DEFINITIONS FMT_HEADER_ONLY=1)
endforeach()
add_library(tomlplusplus::tomlplusplus INTERFACE IMPORTED GLOBAL)
set_target_properties(tomlplusplus::tomlplusplus PROPERTIES INTERFACE_COMPILE_DEFINITIONS TOML_HEADER_ONLY=1)
# Its CMake package wants the shared library to be there, too.
find_library(RINGSIDE_PUGIXML_STATIC libpugixml.a REQUIRED)
add_library(pugixml::pugixml STATIC IMPORTED GLOBAL)
set_target_properties(pugixml::pugixml PROPERTIES IMPORTED_LOCATION ${RINGSIDE_PUGIXML_STATIC})

# What static libarchive, libmicrohttpd and libdw need in turn.
add_library(ringside_unused_formats OBJECT ${CMAKE_CURRENT_LIST_DIR}/unused_formats.cpp)
add_library(ringside_unused_tls OBJECT ${CMAKE_CURRENT_LIST_DIR}/unused_tls.cpp)
set(RINGSIDE_LIBARCHIVE_NEEDS -lacl)
set(RINGSIDE_LIBDW_NEEDS -lelf -lz -llzma -lbz2)

# ringside_link_portably(TARGET): for what is shipped.
function(ringside_link_portably target)
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:ringside_older_libc>)
  target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc LINKER:-Bsymbolic,--exclude-libs,ALL)
endfunction()

# ringside_link_folder_portably(): for all programs and libraries of a folder that are only for tests.
macro(ringside_link_folder_portably)
  link_libraries(ringside_older_libc ${CMAKE_DL_LIBS})
  add_link_options(-static-libstdc++ -static-libgcc LINKER:--exclude-libs,ALL LINKER:--unresolved-symbols=ignore-in-shared-libs)
endmacro()
