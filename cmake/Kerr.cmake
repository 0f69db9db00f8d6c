# The three things a room of the house declares: a library, a test, a benchmark.

option(KERR_ASAN "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(KERR_TSAN "ThreadSanitizer" OFF)
option(KERR_FUZZ "libFuzzer targets of tests/fuzz, with AddressSanitizer; needs clang++" OFF)

add_library(kerr_options INTERFACE)
target_include_directories(kerr_options INTERFACE $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>)
target_compile_features(kerr_options INTERFACE cxx_std_20)
# For Kerr's own files only: a project that Kerr is part of chooses its own.
add_compile_options(-Wall -Wextra -Wshadow -Wno-missing-field-initializers -fno-strict-aliasing)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  add_compile_options(-Wno-unknown-pragmas -Wno-unused-lambda-capture)  # pragmas for GCC; `this` for one branch of if constexpr
endif()
if(KERR_ASAN)
  target_compile_options(kerr_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
  target_link_options(kerr_options INTERFACE -fsanitize=address,undefined)
endif()
if(KERR_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES Clang)
    message(FATAL_ERROR "KERR_FUZZ needs clang++: cmake -DCMAKE_CXX_COMPILER=clang++ (Debian: clang, libclang-rt-14-dev)")
  endif()
  target_compile_options(kerr_options INTERFACE -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined
                         -fno-omit-frame-pointer)
  target_compile_definitions(kerr_options INTERFACE __SANITIZE_ADDRESS__)  # as GCC says it
  target_link_options(kerr_options INTERFACE -fsanitize=address,undefined)
endif()
if(KERR_TSAN)
  target_compile_options(kerr_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(kerr_options INTERFACE -fsanitize=thread)
endif()

add_library(kerr_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/fmt.cpp)
target_link_libraries(kerr_fmt PRIVATE kerr_options)

# Precompiled headers: what most files include and nobody edits is parsed once. No file relies on them, and
# CMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without. kerr_precompiled(NAME LIBRARY ...) makes cmake/precompiled/NAME.hpp
# for the compiler options of the calling folder; targets of the same options take it with PRECOMPILED NAME.
function(kerr_precompiled name)
  set(empty ${PROJECT_BINARY_DIR}/precompiled/${name}.cpp)
  file(CONFIGURE OUTPUT ${empty} CONTENT "")
  add_library(kerr_precompiled_${name} OBJECT ${empty})
  target_link_libraries(kerr_precompiled_${name} PRIVATE kerr_options ${ARGN})
  target_precompile_headers(kerr_precompiled_${name} PRIVATE ${PROJECT_SOURCE_DIR}/cmake/precompiled/${name}.hpp)
endfunction()
# With them GCC 12 no longer knows which code is the standard library's, and warns of what is right there.
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND NOT CMAKE_DISABLE_PRECOMPILE_HEADERS)
  add_compile_options(-Wno-array-bounds -Wno-restrict -Wno-stringop-overflow -Wno-stringop-overread
                      -Wno-maybe-uninitialized)
endif()
kerr_precompiled(library)
set(KERR_PRECOMPILED library)

# kerr_compile_quickly(): for folders whose code takes longer to compile than it ever runs.
macro(kerr_compile_quickly)
  add_compile_options($<$<CONFIG:Release>:-O1>)
endmacro()

# kerr_compile_together(TARGET a.cpp ...): several files of the target are compiled as one, which parses once what they
# include; the named ones by themselves. Names without linkage and `using` of two such files must not collide: name one
# of the two. KERR_TOGETHER=1 compiles every file by itself, as is quicker for who works on one of them; each includes
# what it needs.
set(KERR_TOGETHER 12 CACHE STRING "how many files are compiled as one")
function(kerr_compile_together target)
  if(ARGN)
    set_property(SOURCE ${ARGN} PROPERTY SKIP_UNITY_BUILD_INCLUSION ON)
  endif()
  if(KERR_TOGETHER GREATER 1)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${KERR_TOGETHER})
    # A file of its own would be none that others include.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# kerr_library(NAME DEPS kerr_arch ... [SOURCES a.cpp ...] [ALONE a.cpp ...] [APART]): a static library kerr_NAME of
# these files, or else of all .cpp files of the calling folder and the folders below it that have no CMakeLists.txt of
# their own. Without sources it is header-only. Compiled together (kerr_compile_together) but for the files behind
# ALONE, or with APART each by itself.
function(kerr_library name)
  cmake_parse_arguments(ARG "APART" "PRECOMPILED" "SOURCES;DEPS;ALONE" ${ARGN})
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
    target_link_libraries(kerr_${name} PUBLIC kerr_options ${ARG_DEPS} kerr_fmt)
    if(NOT ARG_PRECOMPILED)
      set(ARG_PRECOMPILED ${KERR_PRECOMPILED})  # of this part of the house
    endif()
    target_precompile_headers(kerr_${name} REUSE_FROM kerr_precompiled_${ARG_PRECOMPILED})
    if(NOT ARG_APART)
      kerr_compile_together(kerr_${name} ${ARG_ALONE})
    endif()
  else()
    add_library(kerr_${name} INTERFACE)
    target_link_libraries(kerr_${name} INTERFACE kerr_options ${ARG_DEPS} kerr_fmt)
  endif()
endfunction()

# kerr_test(NAME DEPS kerr_isa ... [LABELS slow] [COST n] [READS_JSON] [SOURCES a.cpp ...] [ALONE b.cpp ...]): a
# GoogleTest program test_NAME, one ctest entry a case. Without SOURCES it takes every .cpp file of the calling folder.
# Of two programs the one that costs more is run first, so that no long case is left for one core at the end.
# READS_JSON: nlohmann's is among the precompiled. ALONE: kerr_compile_together, but for these.
function(kerr_test name)
  cmake_parse_arguments(ARG "READS_JSON" "COST" "SOURCES;DEPS;LABELS;ALONE" ${ARGN})
  if(NOT ARG_SOURCES)
    file(GLOB ARG_SOURCES CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_executable(test_${name} ${ARG_SOURCES})
  target_link_libraries(test_${name} PRIVATE kerr_options ${ARG_DEPS} GTest::gtest GTest::gtest_main)
  kerr_compile_together(test_${name} ${ARG_ALONE})
  if(rapidcheck IN_LIST ARG_DEPS)
    target_precompile_headers(test_${name} REUSE_FROM kerr_precompiled_properties)
  elseif(ARG_READS_JSON)
    target_precompile_headers(test_${name} REUSE_FROM kerr_precompiled_json_tests)
  else()
    target_precompile_headers(test_${name} REUSE_FROM kerr_precompiled_tests)
  endif()
  # Only files that read test data know where the sources are: the others compile to the same object in every clone.
  foreach(source ${ARG_SOURCES})
    file(STRINGS ${source} reads_data REGEX KERR_SOURCE_DIR LIMIT_COUNT 1)
    if(reads_data)
      set_property(SOURCE ${source} APPEND PROPERTY COMPILE_DEFINITIONS KERR_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
    endif()
  endforeach()
  # Property tests draw the same cases in every run; RC_PARAMS in the environment of the program itself draws others.
  set(properties TIMEOUT 300 ENVIRONMENT RC_PARAMS=seed=1)
  if(ARG_LABELS)
    list(APPEND properties LABELS ${ARG_LABELS})
  endif()
  if(ARG_COST)
    list(APPEND properties COST ${ARG_COST})
  endif()
  gtest_discover_tests(test_${name} TEST_PREFIX ${name}. DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
                       PROPERTIES ${properties})
endfunction()
