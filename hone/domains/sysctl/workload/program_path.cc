// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/program_path.h"

#include <unistd.h>

#include <filesystem>
#include <system_error>

#include "hone/base/process/find_program.h"

namespace hone::sysctl {

std::string WorkloadSearchPath() { return SearchPath() + ":/usr/local/sbin:/usr/sbin:/sbin"; }

std::optional<std::string> FindWorkloadProgram(const std::string& name) {
  if (name.find('/') == std::string::npos) return FindProgram(name, WorkloadSearchPath());
  std::error_code ignored;
  const bool is_program =
      ::access(name.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(name, ignored);
  return is_program ? std::optional(name) : std::nullopt;
}

}  // namespace hone::sysctl
