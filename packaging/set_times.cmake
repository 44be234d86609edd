# Run by cpack over what it has staged: rpm keeps the times of files that are older than SOURCE_DATE_EPOCH, and those are a checkout's.
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY} -exec touch -hd @$ENV{SOURCE_DATE_EPOCH} {} +)
endif()
