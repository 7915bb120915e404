// SPDX-License-Identifier: Apache-2.0
#include "tests/oracle/kconfig_cases.h"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "hone/base/process/subprocess.h"
#include "hone/base/temp_dir.h"

namespace hone::kconfig {
namespace {

// The suite types without end until the program has ended. A program that takes its time and reads
// nothing would fill the pipe and then break it, so what it does not take is read away. As root it
// makes folders that only root may read, and restricted commands run as nobody.
constexpr const char* kPatientConf = R"(#!/bin/bash
chmod o+rx .
exec )" HONE_SOURCE_DIR R"(/scripts/hone-conf "$@" < <(
  exec 2> /dev/null
  head -c 60000
  exec cat > /dev/null
)
)";

void Sort(const std::string& output, CasesOutcome& outcome) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const std::string name = line.substr(std::min(line.find(' ') + 1, line.size()));
    if (line.starts_with("PASSED ")) outcome.passed.push_back(name);
    if (line.starts_with("FAILED ") || line.starts_with("ERROR ")) outcome.failed.push_back(name);
  }
}

}  // namespace

Result<CasesOutcome> RunKernelCases(const std::filesystem::path& tree, const std::string& program,
                                    const std::string& dialect) {
  namespace fs = std::filesystem;
  const auto folder = TempDir::Make("cases");
  if (!folder) return folder.error();
  fs::copy(tree / "scripts/kconfig/tests", folder->path() / "tests", fs::copy_options::recursive);
  fs::create_directories(folder->path() / "scripts/kconfig");
  const fs::path conf = folder->path() / "scripts/kconfig/conf";
  std::ofstream(conf) << kPatientConf;
  fs::permissions(conf, fs::perms::owner_all);
  Command command;
  command.arguments = {"/usr/bin/python3", "-m", "pytest",           "-rA",  "--tb=short", "-p",
                       "no:cacheprovider", "-c", "tests/pytest.ini", "tests"};
  command.folder = folder->path();
  command.limit = std::chrono::minutes(2);
  const char* path = std::getenv("PATH");
  command.environment = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path},
                         {"HOME", folder->path().string()},
                         {"HONE", program},
                         {"HONE_KCONFIG_FLAGS", "--dialect " + dialect}};
  const auto result = RunProcess(command);
  if (!result) return result.error();
  if (result->errors.find("No module named pytest") != std::string::npos) {
    return Error{Errc::kUnsupported, "needs python3-pytest"};
  }
  CasesOutcome outcome;
  outcome.output = result->output;
  Sort(result->output, outcome);
  return outcome;
}

}  // namespace hone::kconfig
