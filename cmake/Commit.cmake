# Writes OUT, a header that says which commit of SOURCE is built. Run by the build when the commit changes.
cmake_minimum_required(VERSION 3.25)
find_program(GIT git)
set(commit "unknown: not built in a git clone")
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel OUTPUT_VARIABLE top
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  # A project that contains these sources has commits of its own, which say nothing about them.
  if(NOT failed)
    get_filename_component(top "${top}" REALPATH)
    get_filename_component(source "${SOURCE}" REALPATH)
    if(top STREQUAL source)
      execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --short=12 HEAD OUTPUT_VARIABLE head
                      OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
      if(NOT failed)
        set(commit ${head})
      endif()
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define KERR_VERSION \"@VERSION@\"\n#define KERR_COMMIT \"@commit@\"\n" @ONLY)
