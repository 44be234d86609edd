# The sources of a folder are compiled as one: what their headers hold is read once a batch instead of once a file, and a template
# that several files use is compiled once. A batch never spans two folders, so a name that is used once in a folder may be used again in the next.
#   ringside_join_sources(DIRECTORY)      every target of DIRECTORY and below; called once, at the end of the root
# RINGSIDE_UNITY=OFF compiles each file alone, which shows a missing #include; soak.sh and clang-tidy do that.
#
# A folder is one batch, a large one several. The name of a file says which of them it is in, so a file that comes or goes changes its own
# batch and no other. How many batches a folder has depends on its bytes alone, so every build directory joins the same files.

# A batch has about this many bytes of source, three quarters to one and a half times: larger ones make a whole build faster and a build
# after one changed file slower.
set(RINGSIDE_BATCH_BYTES 150000)

function(ringside_join_sources directory)
  get_property(subdirectories DIRECTORY ${directory} PROPERTY SUBDIRECTORIES)
  foreach(subdirectory IN LISTS subdirectories)
    ringside_join_sources(${subdirectory})
  endforeach()
  get_property(targets DIRECTORY ${directory} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    get_target_property(type ${target} TYPE)
    if(NOT type MATCHES "UTILITY|INTERFACE")
      ringside_join_sources_of(${target})
    endif()
  endforeach()
endfunction()

# Sets BATCHES in the caller: how many a folder with BYTES of source has. A power of two: it changes only when the folder has doubled.
function(ringside_count_batches bytes)
  set(count 1)
  math(EXPR most "${RINGSIDE_BATCH_BYTES} * 3 / 2")
  while(bytes GREATER most)
    math(EXPR count "${count} * 2")
    math(EXPR most "${most} * 2")
  endwhile()
  set(batches ${count} PARENT_SCOPE)
endfunction()

# Gives each file of FOLDER the UNITY_GROUP of its batch.
function(ringside_join_folder target folder files)
  cmake_path(IS_PREFIX PROJECT_BINARY_DIR ${folder} generated)
  set(base ${PROJECT_SOURCE_DIR})
  set(prefix "")
  if(generated)   # registries: a batch of their own, whose name is the same in every build directory
    set(base ${PROJECT_BINARY_DIR})
    set(prefix generated_)
  endif()
  cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${base} OUTPUT_VARIABLE name)
  string(MAKE_C_IDENTIFIER ${prefix}${name} name)
  set(bytes 0)
  foreach(file IN LISTS files)
    file(SIZE ${file} size)
    math(EXPR bytes "${bytes} + ${size}")
  endforeach()
  ringside_count_batches(${bytes})
  foreach(file IN LISTS files)
    cmake_path(GET file FILENAME file_name)
    string(MD5 digest ${file_name})
    string(SUBSTRING ${digest} 0 6 digest)
    math(EXPR batch "0x${digest} % ${batches}")
    set_property(SOURCE ${file} TARGET_DIRECTORY ${target} PROPERTY UNITY_GROUP ${name}_${batch})
  endforeach()
endfunction()

function(ringside_join_sources_of target)
  get_target_property(sources ${target} SOURCES)
  get_target_property(source_directory ${target} SOURCE_DIR)
  set(folders "")
  foreach(source IN LISTS sources)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${source_directory} NORMALIZE)
    if(NOT source MATCHES "\\.cpp$" OR NOT EXISTS ${source})
      continue()
    endif()
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder IN_LIST folders)
      list(APPEND folders ${folder})
      set(files_of_${folder} "")
    endif()
    list(APPEND files_of_${folder} ${source})
  endforeach()
  foreach(folder IN LISTS folders)
    ringside_join_folder(${target} ${folder} "${files_of_${folder}}")
  endforeach()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
