# The three things a room of the house declares: a library, a test, a benchmark.

find_package(GTest REQUIRED)
include(GoogleTest)

option(KERR_ASAN "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(KERR_TSAN "ThreadSanitizer" OFF)

add_library(kerr_options INTERFACE)
target_include_directories(kerr_options INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_options(kerr_options INTERFACE -Wall -Wextra -Wshadow -Wno-missing-field-initializers -fno-strict-aliasing)
# fmt is used header-only: libttsim_bh.so may import nothing but libc and libm.
target_compile_definitions(kerr_options INTERFACE FMT_HEADER_ONLY=1)
if(KERR_ASAN)
  target_compile_options(kerr_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(kerr_options INTERFACE -fsanitize=address,undefined)
endif()
if(KERR_TSAN)
  target_compile_options(kerr_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(kerr_options INTERFACE -fsanitize=thread)
endif()

# kerr_library(NAME DEPS kerr_arch ...): a static library kerr_NAME of all .cpp files of the calling folder and the
# folders below it that have no CMakeLists.txt of their own. Without sources it is header-only.
function(kerr_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB_RECURSE all CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
    foreach(source ${all})
      get_filename_component(folder ${source} DIRECTORY)
      set(own TRUE)
      while(NOT folder STREQUAL CMAKE_CURRENT_SOURCE_DIR)
        if(EXISTS ${folder}/CMakeLists.txt)
          set(own FALSE)
        endif()
        get_filename_component(folder ${folder} DIRECTORY)
      endwhile()
      if(own)
        list(APPEND ARG_SOURCES ${source})
      endif()
    endforeach()
  endif()
  if(ARG_SOURCES)
    add_library(kerr_${name} STATIC ${ARG_SOURCES})
    target_link_libraries(kerr_${name} PUBLIC kerr_options ${ARG_DEPS})
  else()
    add_library(kerr_${name} INTERFACE)
    target_link_libraries(kerr_${name} INTERFACE kerr_options ${ARG_DEPS})
  endif()
endfunction()

# kerr_test(NAME DEPS kerr_isa ... [LABELS slow] [SOURCES a.cpp ...]): a GoogleTest program test_NAME, one ctest entry a case.
# Without SOURCES it takes every .cpp file of the calling folder.
function(kerr_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS;LABELS" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE kerr_options ${ARG_DEPS} GTest::gtest GTest::gtest_main)
  target_compile_definitions(test_${name} PRIVATE KERR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  # Property tests draw the same cases in every run; RC_PARAMS in the environment of the program itself draws others.
  set(properties TIMEOUT 300 ENVIRONMENT RC_PARAMS=seed=1)
  if(ARG_LABELS)
    list(APPEND properties LABELS ${ARG_LABELS})
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES ${properties})
endfunction()
