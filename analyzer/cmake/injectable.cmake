# ringside_add_injectable_library(NAME SOURCES...): the static library NAME, and NAME_injected for what is linked into other people's
# processes: of the same objects, unless a sanitizer is on, for what is injected is never sanitized. What they link is set for each.
function(ringside_add_injectable_library name)
  add_library(${name} STATIC ${ARGN})
  target_link_libraries(${name} PRIVATE ringside_build_options)
  if(RINGSIDE_SANITIZE)
    add_library(${name}_injected STATIC ${ARGN})
  else()
    add_library(${name}_injected STATIC $<TARGET_OBJECTS:${name}>)
    set_target_properties(${name}_injected PROPERTIES LINKER_LANGUAGE CXX)
  endif()
  target_link_libraries(${name}_injected PRIVATE ringside_warnings)
endfunction()
