# What is installed beside the rooms' own files, and the packages that cpack makes of it: cpack -G "DEB;RPM". One component is one
# package. README.md in this folder.
set(RINGSIDE_PACKAGE_CONTACT "Ringside development build <ringside@localhost>" CACHE STRING "Who answers for the packages: NAME <MAIL>")
find_program(RINGSIDE_PYTHON python3 HINTS /usr/bin REQUIRED)
set(folder ${CMAKE_CURRENT_BINARY_DIR}/packaging)

# Of which package a component becomes, and where its papers are.
set(package_runtime ringside)
set(package_gui ringside-gui)
set(package_development libringside-dev)
set(components runtime development)
if(RINGSIDE_HAVE_QT)
  list(APPEND components gui)
endif()

foreach(component IN LISTS components)
  set(package ${package_${component}})
  set(papers ${CMAKE_INSTALL_DATADIR}/doc/${package})
  add_custom_command(OUTPUT ${folder}/${package}/changelog.gz
    COMMAND ${CMAKE_COMMAND} -E make_directory ${folder}/${package}
    COMMAND ${RINGSIDE_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/changelog.py ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${package}
      "${RINGSIDE_PACKAGE_CONTACT}" > ${folder}/${package}/changelog
    COMMAND gzip -9nf ${folder}/${package}/changelog
    DEPENDS ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${CMAKE_CURRENT_LIST_DIR}/changelog.py VERBATIM)
  add_custom_target(ringside_changelog_${component} ALL DEPENDS ${folder}/${package}/changelog.gz)
  install(FILES ${folder}/${package}/changelog.gz ${CMAKE_CURRENT_LIST_DIR}/copyright DESTINATION ${papers} COMPONENT ${component})
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/lintian/${package} DESTINATION ${CMAKE_INSTALL_DATADIR}/lintian/overrides COMPONENT ${component})
endforeach()
file(GLOB documents CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/*.md ${PROJECT_SOURCE_DIR}/docs/*.md ${PROJECT_SOURCE_DIR}/analyzer/*/*.md)
add_custom_command(OUTPUT ${folder}/documents/README.md
  COMMAND ${RINGSIDE_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/documents.py ${PROJECT_SOURCE_DIR} ${folder}/documents
  DEPENDS ${documents} ${CMAKE_CURRENT_LIST_DIR}/documents.py VERBATIM)
add_custom_target(ringside_shipped_documents ALL DEPENDS ${folder}/documents/README.md)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/slurm/ringside_spank.c DESTINATION ${CMAKE_INSTALL_DATADIR}/ringside/slurm COMPONENT runtime)
install(FILES ${CMAKE_CURRENT_LIST_DIR}/kubernetes/manifests.py DESTINATION ${CMAKE_INSTALL_DATADIR}/ringside/kubernetes COMPONENT runtime)
install(DIRECTORY ${folder}/documents/ DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ringside COMPONENT runtime)
if(RINGSIDE_PORTABLE)
  add_custom_command(OUTPUT ${folder}/sbom.spdx.json
    COMMAND ${RINGSIDE_PYTHON} -B ${CMAKE_CURRENT_LIST_DIR}/sbom.py ${CMAKE_SYSROOT} ${PROJECT_VERSION} ${folder}
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/sbom.py ${CMAKE_CURRENT_LIST_DIR}/static_libraries.txt VERBATIM)
  add_custom_target(ringside_sbom ALL DEPENDS ${folder}/sbom.spdx.json)
  install(FILES ${folder}/sbom.spdx.json DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ringside COMPONENT runtime)
  install(DIRECTORY ${folder}/licences DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/ringside COMPONENT runtime)
endif()

set(CPACK_PACKAGE_NAME ringside)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "${RINGSIDE_PACKAGE_CONTACT}")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "")   # each package has its own
set(CPACK_PACKAGE_VENDOR "The Ringside authors")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${CMAKE_BINARY_DIR}/packages)
set(CPACK_COMPONENTS_ALL ${components})
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/set_times.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(description_runtime "find out why distributed training is slower than its GPUs
A preloaded library records what every rank of a training job does with NCCL
and CUDA. The program ringside says what limits the run, with evidence and
figures, and what to change.")
set(description_gui "show what limits distributed training on GPUs
The desktop program for runs that ringside recorded, and for traces of other
profilers: from a finding to the moment in the timeline of all ranks.")
set(description_development "mark steps and ranges for ringside in C and C++
The header of the functions that the collector of ringside exports. A program
that uses them needs no library: without the collector they do nothing.")

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
if(RINGSIDE_PORTABLE)
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_DEPENDS "libc6 (>= 2.17)")
else()
  set(CPACK_DEBIAN_RUNTIME_PACKAGE_SHLIBDEPS ON)
endif()
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_GUI_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_GUI_PACKAGE_RECOMMENDS ringside)
set(CPACK_DEBIAN_GUI_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_ARCHITECTURE all)
if(CMAKE_CROSSCOMPILING)   # else the tools ask this machine
  string(REPLACE aarch64 arm64 CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
  set(CPACK_RPM_PACKAGE_ARCHITECTURE ${CMAKE_SYSTEM_PROCESSOR})
endif()

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_COMPRESSION_TYPE xz)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
  /usr/share/man /usr/share/man/man1 /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/fish
  /usr/share/fish/vendor_completions.d /usr/share/zsh /usr/share/zsh/site-functions /usr/share/zsh/vendor-completions)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_ARCHITECTURE noarch)
set(CPACK_RPM_SPEC_MORE_DEFINE "%define use_source_date_epoch_as_buildtime Y
%define clamp_mtime_to_source_date_epoch Y
%define _buildhost ringside
%define _build_id_links none
%define packager ${RINGSIDE_PACKAGE_CONTACT}")
foreach(component IN LISTS components)
  string(TOUPPER ${component} upper)
  string(FIND "${description_${component}}" "\n" end)
  string(SUBSTRING "${description_${component}}" 0 1 first)
  string(SUBSTRING "${description_${component}}" 1 ${end} summary)
  string(TOUPPER "${first}" first)
  string(STRIP "${first}${summary}" summary)
  math(EXPR begin "${end} + 1")
  string(SUBSTRING "${description_${component}}" ${begin} -1 rest)
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${rest}")
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "${description_${component}}")
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package_${component}})
  set(CPACK_RPM_${upper}_PACKAGE_NAME ${package_${component}})
  set(CPACK_RPM_${upper}_PACKAGE_SUMMARY "${summary}")
  set(CPACK_RPM_${upper}_PACKAGE_DESCRIPTION "${rest}")
endforeach()
include(CPack)
