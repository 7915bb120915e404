# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

find_program(HONE_CCACHE ccache)
if(HONE_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${HONE_CCACHE})
endif()

add_library(hone_flags INTERFACE)
target_include_directories(hone_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(hone_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                            $<$<BOOL:${HONE_WERROR}>:-Werror>)
# g++ 12 raises these falsely: the first on a variant inside an optional, the second (its bug 105651)
# on "text" + std::string at -O3. asan sees real ones.
target_compile_options(hone_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                                            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)
# A plain char has a sign on x86 and none on ARM: bytes are read alike everywhere.
target_compile_options(hone_flags INTERFACE -fsigned-char)
if(HONE_SANITIZE)
  target_compile_options(hone_flags INTERFACE -fsanitize=${HONE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(hone_flags INTERFACE -fsanitize=${HONE_SANITIZE})
endif()

# hone_library(name SRCS file... [DEPS target...]): one module of the plan.
function(hone_library name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS})
  target_link_libraries(${name} PUBLIC hone_flags ${ARG_DEPS})
endfunction()

# hone_carry(source.cc DEFINITION file): the source carries the file (hone/core/carried_file.h), whose
# path it knows as DEFINITION.
function(hone_carry source definition file)
  set_source_files_properties(${source} PROPERTIES
                              COMPILE_DEFINITIONS ${definition}="${file}"
                              OBJECT_DEPENDS ${file})
endfunction()

# hone_test(name SRCS file... [DEPS target...] [LABELS label] [TIMEOUT seconds]):
# one test program; ctest sees each of its cases. The label is `unit` unless another is given.
function(hone_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SRCS;DEPS;LABELS" ${ARGN})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  list(LENGTH ARG_LABELS count)
  if(count GREATER 1)  # gtest_discover_tests would take the second for a property, silently.
    message(FATAL_ERROR "hone_test(${name}): one label, not ${count}: ${ARG_LABELS}")
  endif()
  if(NOT ARG_TIMEOUT)
    set(ARG_TIMEOUT 120)
  endif()
  add_executable(${name} ${ARG_SRCS})
  target_link_libraries(${name} PRIVATE hone_flags ${ARG_DEPS} GTest::gmock GTest::gtest_main)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()
