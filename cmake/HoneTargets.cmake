# SPDX-License-Identifier: Apache-2.0
include(GoogleTest)

# Sources of one room are compiled some at a time, as one: most of a compiler's time goes into headers
# that they share. Names in their unnamed namespaces must differ within a room. Editors
# want each file by itself: the preset dev has it off.
option(HONE_UNITY "Compile several sources of a library at once" ON)
set(HONE_UNITY_BATCH 48)

# What a compiler has to say, at the price of reading: objects, libraries and programs are empty files.
option(HONE_SYNTAX_ONLY "Read every source, build nothing" OFF)
if(HONE_SYNTAX_ONLY)
  set(HONE_MAKE_EMPTY "${CMAKE_COMMAND} -E touch")
  set(CMAKE_CXX_COMPILE_OBJECT
      "<CMAKE_CXX_COMPILER> <DEFINES> <INCLUDES> <FLAGS> -fsyntax-only <SOURCE>"
      "${HONE_MAKE_EMPTY} <OBJECT>")
  set(CMAKE_CXX_ARCHIVE_CREATE "${HONE_MAKE_EMPTY} <TARGET>")
  set(CMAKE_CXX_ARCHIVE_FINISH "")
  set(CMAKE_CXX_LINK_EXECUTABLE "${HONE_MAKE_EMPTY} <TARGET>")
endif()

# GCC spends up to a tenth of its time on collecting garbage, in heaps that any machine has room for. The
# object is the same, so the cache need not know.
set(HONE_ROOMY --param=ggc-min-heapsize=1048576)
find_program(HONE_CCACHE ccache)
if(HONE_CCACHE)
  # The second: a precompiled header is a file like any other, known by what is in it.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_IGNOREOPTIONS=${HONE_ROOMY}
      CCACHE_SLOPPINESS=pch_defines,time_macros ${HONE_CCACHE})
endif()

add_library(hone_flags INTERFACE)
target_include_directories(hone_flags INTERFACE ${CMAKE_SOURCE_DIR})
target_compile_options(hone_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                            $<$<BOOL:${HONE_WERROR}>:-Werror>)
# g++ 12 raises these falsely: the first on a variant inside an optional, the second (its bug 105651)
# on "text" + std::string at -O3. asan sees real ones.
target_compile_options(hone_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>
                                            $<$<AND:$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict>)
# Several sources in one look like headers to GCC, which then warns of unnamed namespaces in them.
target_compile_options(hone_flags INTERFACE $<$<AND:$<BOOL:${HONE_UNITY}>,$<CXX_COMPILER_ID:GNU>>:-Wno-subobject-linkage>)
target_compile_options(hone_flags INTERFACE $<$<CXX_COMPILER_ID:GNU>:${HONE_ROOMY}>)
# A plain char has a sign on x86 and none on ARM: bytes are read alike everywhere.
target_compile_options(hone_flags INTERFACE -fsigned-char)
set(HONE_HARDENED -fstack-protector-strong $<$<CXX_COMPILER_ID:GNU>:-fstack-clash-protection>)
if(HONE_SANITIZE)
  target_compile_options(hone_flags INTERFACE -fsanitize=${HONE_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(hone_flags INTERFACE -fsanitize=${HONE_SANITIZE})
else()
  # It runs as root beside hostile code: what is overrun ends the process. The sanitizers see more.
  target_compile_options(hone_flags INTERFACE ${HONE_HARDENED})
  target_compile_definitions(hone_flags INTERFACE _GLIBCXX_ASSERTIONS
                             $<$<CONFIG:Release>:_FORTIFY_SOURCE=2>)
endif()
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
target_link_options(hone_flags INTERFACE -Wl,-z,relro,-z,now,--as-needed $<$<STREQUAL:$<TARGET_PROPERTY:TYPE>,EXECUTABLE>:-pie>)

if(HONE_BUNDLE)
  # Not libgcc: the unwinder in it asks for glibc 2.35; every system has one that fits its own.
  target_link_options(hone_flags INTERFACE -static-libstdc++)
endif()

# All of the program at once: GCC then tells of one name with two definitions.
option(HONE_LTO "Optimise across files, and refuse what differs between them" OFF)
if(HONE_LTO)
  target_compile_options(hone_flags INTERFACE -flto=auto)
  target_link_options(hone_flags INTERFACE -flto=auto -Werror=odr -Werror=lto-type-mismatch)
endif()

# What is compiled with beyond the usual flags: in a release a room that computes, and always one that
# waits for people, programs or networks. There the compiler's time is worth more than the program's: -Og
# takes a fifth less of it than -Os or -O1, though its code is twice as large, and no optimisation at all
# as much as those.
set(HONE_HOT -O3 CACHE STRING "Flags of rooms that compute")
set(HONE_COLD -Og CACHE STRING "Flags of rooms that wait")

# The sources of the target are compiled in as few pieces as the batch allows, all of about one size: a
# piece of one small file would cost as much as one of thirty.
function(hone_join target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR pieces "(${count} + ${HONE_UNITY_BATCH} - 1) / ${HONE_UNITY_BATCH}")
  math(EXPR batch "(${count} + ${pieces} - 1) / ${pieces}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HONE_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# hone_library(name [HOT | COLD] SRCS file... [DEPS target...]): one module of the plan.
function(hone_library name)
  cmake_parse_arguments(ARG "HOT;COLD" "" "SRCS;DEPS" ${ARGN})
  add_library(${name} STATIC ${ARG_SRCS})
  if(ARG_HOT)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:${HONE_HOT}>)
  elseif(ARG_COLD)
    target_compile_options(${name} PRIVATE ${HONE_COLD})
  endif()
  target_link_libraries(${name} PUBLIC hone_flags ${ARG_DEPS})
  hone_join(${name})
endfunction()

# hone_test_library(name ...): the same for what only tests use.
function(hone_test_library)
  if(HONE_TESTS)
    hone_library(${ARGN})
  endif()
endfunction()

# hone_embed(source.cc DEFINITION file): the source embeds the file (hone/core/embedded_file.h), whose
# path it knows as DEFINITION.
function(hone_embed source definition file)
  set_source_files_properties(${source} PROPERTIES
                              COMPILE_DEFINITIONS ${definition}="${file}"
                              COMPILE_OPTIONS -fno-lto  # It would lose the labels around the file.
                              OBJECT_DEPENDS ${file})
endfunction()

# hone_program(name IMAGE source.cc AS DEFINITION SRCS file... [STATIC | BARE]): a program that the library
# embeds by the source, whose file that knows as DEFINITION. STATIC: it needs nothing of the machine.
# BARE: nor exceptions or type information, so that it starts fast and weighs little. None has a
# sanitizer: it would have no room for one. What is overrun ends the process, as in the product.
function(hone_program name)
  cmake_parse_arguments(ARG "STATIC;BARE" "IMAGE;AS" "SRCS" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR})
  target_compile_options(${name} PRIVATE $<IF:$<OR:$<BOOL:${ARG_STATIC}>,$<BOOL:${ARG_BARE}>>,-Os,-O2>
                         $<$<BOOL:${ARG_BARE}>:-fno-exceptions$<SEMICOLON>-fno-rtti>
                         -Wall -Wextra -Wshadow $<$<BOOL:${HONE_WERROR}>:-Werror>
                         ${HONE_HARDENED})
  target_compile_definitions(${name} PRIVATE _FORTIFY_SOURCE=2)
  target_link_options(${name} PRIVATE -s -Wl,-z,relro,-z,now
                      $<IF:$<OR:$<BOOL:${ARG_STATIC}>,$<BOOL:${ARG_BARE}>>,-static-pie,-pie>)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  hone_embed(${ARG_IMAGE} ${ARG_AS} ${CMAKE_CURRENT_BINARY_DIR}/${name})
  set_property(GLOBAL APPEND PROPERTY HONE_PROGRAMS ${name})
endfunction()

# hone_embed_files(source.cc HEADER header.h FUNCTION namespace::Name FILES file...): makes the source
# of a function, declared in the header, that gives the files as a std::vector<EmbeddedFile>.
function(hone_embed_files source)
  cmake_parse_arguments(ARG "" "HEADER;FUNCTION" "FILES" ${ARGN})
  string(REGEX MATCH "^(.*)::([A-Za-z]+)$" unused ${ARG_FUNCTION})
  set(namespace ${CMAKE_MATCH_1})
  set(function ${CMAKE_MATCH_2})
  set(images "")
  set(rows "")
  set(number 0)
  foreach(file IN LISTS ARG_FILES)
    file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${file})
    string(APPEND images "HONE_EMBED(kHone${function}${number}, \"${file}\")\n")
    string(APPEND rows "          {\"${name}\", kHone${function}${number}()},\n")
    math(EXPR number "${number} + 1")
  endforeach()
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT "// Made by hone_embed_files().
#include \"@ARG_HEADER@\"

@images@
namespace @namespace@ {

std::vector<EmbeddedFile> @function@() {
  return {
@rows@  };
}

}  // namespace @namespace@
")
  # A source that is compiled with others would not be compiled again when a file changes.
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS "${ARG_FILES}"
                                                   COMPILE_OPTIONS -fno-lto
                                                   SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

# What most tests include is compiled once, with the first test that there is. Where each file is compiled
# by itself (dev), it is not: there a file shows what it forgot to include.
function(hone_use_test_headers name)
  if(NOT HONE_UNITY OR HONE_SYNTAX_ONLY OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  target_compile_options(${name} PRIVATE -fpch-preprocess)  # The compiler cache asks for it.
  get_property(owner GLOBAL PROPERTY HONE_TEST_HEADERS_OF)
  if(owner)
    target_precompile_headers(${name} REUSE_FROM ${owner})
  else()
    target_precompile_headers(${name} PRIVATE ${CMAKE_SOURCE_DIR}/hone/testing/headers_for_test.h)
    set_property(GLOBAL PROPERTY HONE_TEST_HEADERS_OF ${name})
  endif()
endfunction()

# hone_test(name SRCS file... [DEPS target...] [LABELS label] [TIMEOUT seconds]):
# one test program; ctest sees each of its cases. The label is `unit` unless another is given.
# DEFINITIONS are for the compiler, NEEDS are targets that must be built before it runs.
function(hone_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SRCS;DEPS;LABELS;DEFINITIONS;NEEDS" ${ARGN})
  if(NOT HONE_TESTS)
    return()
  endif()
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
  target_link_libraries(${name} PRIVATE hone_flags ${ARG_DEPS} hone_testing GTest::gmock GTest::gtest_main)
  target_compile_options(${name} PRIVATE -O0)  # Compiled more often than run.
  target_compile_definitions(${name} PRIVATE HONE_SOURCE_DIR="${CMAKE_SOURCE_DIR}" ${ARG_DEFINITIONS})
  hone_join(${name})
  hone_use_test_headers(${name})
  if(ARG_NEEDS)
    add_dependencies(${name} ${ARG_NEEDS})
  endif()
  if(HONE_SYNTAX_ONLY)
    return()
  endif()
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60 NO_PRETTY_VALUES
                       PROPERTIES LABELS "${ARG_LABELS}" TIMEOUT ${ARG_TIMEOUT})
endfunction()

# hone_slow_form(name TEST program [TIMEOUT seconds] [ONLY filter] ENVIRONMENT NAME=value...): the same test
# program once more, labelled slow, with what makes it do more; ctest sees it as one test.
function(hone_slow_form name)
  cmake_parse_arguments(ARG "" "TEST;TIMEOUT;ONLY" "ENVIRONMENT" ${ARGN})
  if(NOT HONE_TESTS)
    return()
  endif()
  add_test(NAME ${name} COMMAND ${ARG_TEST} --gtest_filter=${ARG_ONLY}*)
  set_tests_properties(${name} PROPERTIES LABELS slow TIMEOUT ${ARG_TIMEOUT} ENVIRONMENT "${ARG_ENVIRONMENT}")
endfunction()
