# SPDX-License-Identifier: Apache-2.0
# Every library comes from a Debian package (scripts/packages lists them); nothing is downloaded.

# A program that brings everything along but the C library: for machines on which none of it is
# installed (scripts/bundle). Debian has fmt and spdlog only as shared libraries; as headers they do.
option(HONE_BUNDLE "Link everything but the C library into the program" OFF)
if(HONE_BUNDLE)
  set(CMAKE_FIND_LIBRARY_SUFFIXES .a)
  set(OPENSSL_USE_STATIC_LIBS ON)
endif()

find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
add_library(hone_fmt INTERFACE)
target_link_libraries(hone_fmt INTERFACE $<IF:$<BOOL:${HONE_BUNDLE}>,fmt::fmt-header-only,fmt::fmt>)
add_library(hone_spdlog INTERFACE)
target_link_libraries(hone_spdlog INTERFACE
                      $<IF:$<BOOL:${HONE_BUNDLE}>,spdlog::spdlog_header_only,spdlog::spdlog>)
find_package(CLI11 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
if(HONE_TESTS)
  find_package(GTest REQUIRED)
endif()
find_package(benchmark QUIET)  # Without it there is no bench/.
