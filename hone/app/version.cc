// SPDX-License-Identifier: Apache-2.0
#include "hone/app/version.h"

#include <fmt/core.h>
#include <spdlog/version.h>
#include <sqlite3.h>

#include <CLI/Version.hpp>
#include <Eigen/Core>
#include <boost/version.hpp>
#include <nlohmann/json.hpp>

namespace hone::app {
namespace {

std::string Dotted(int major, int minor, int patch) {
  return fmt::format("{}.{}.{}", major, minor, patch);
}

}  // namespace

std::string Version() { return HONE_VERSION; }

std::vector<std::pair<std::string, std::string>> BuildFacts() {
  return {
      {"compiler", HONE_COMPILER},
      {"SQLite", ::sqlite3_libversion()},
      {"Eigen", Dotted(EIGEN_WORLD_VERSION, EIGEN_MAJOR_VERSION, EIGEN_MINOR_VERSION)},
      {"Boost", Dotted(BOOST_VERSION / 100000, BOOST_VERSION / 100 % 1000, BOOST_VERSION % 100)},
      {"nlohmann-json", Dotted(NLOHMANN_JSON_VERSION_MAJOR, NLOHMANN_JSON_VERSION_MINOR,
                               NLOHMANN_JSON_VERSION_PATCH)},
      {"fmt", Dotted(FMT_VERSION / 10000, FMT_VERSION / 100 % 100, FMT_VERSION % 100)},
      {"spdlog", Dotted(SPDLOG_VER_MAJOR, SPDLOG_VER_MINOR, SPDLOG_VER_PATCH)},
      {"CLI11", CLI11_VERSION},
  };
}

}  // namespace hone::app
