# Functions that not every C library has: what a newer glibc has (portable binaries, and every collector, so that the one that is
# tested does as the one that is shipped), and what musl lacks (the collector).
# Hidden: dlsym() is to find the system's own, and another library's calls are not to come here.
foreach(library older other)
  add_library(ringside_${library}_libc OBJECT ${CMAKE_CURRENT_LIST_DIR}/${library}_libc.cpp)
  target_compile_options(ringside_${library}_libc PRIVATE -fno-builtin -fvisibility=hidden -U_FORTIFY_SOURCE)
endforeach()
