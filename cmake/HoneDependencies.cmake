# SPDX-License-Identifier: Apache-2.0
# Every library comes from a Debian package (scripts/packages lists them); nothing is downloaded.
find_package(Threads REQUIRED)
find_package(tl-expected REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Boost 1.81 REQUIRED)
find_package(OpenSSL 3.0 REQUIRED)
if(HONE_TESTS)
  find_package(GTest REQUIRED)
endif()
find_package(benchmark QUIET)  # Without it there is no bench/.
