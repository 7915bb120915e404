// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/python_torch.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "hone/base/process/subprocess.h"

namespace hone::compute {
namespace {

constexpr std::string_view kAsk =
    "import importlib.util, sys\n"
    "found = importlib.util.find_spec('torch')\n"
    "if found is None: sys.exit(3)\n"
    "try:\n"
    "    import importlib.metadata\n"
    "    version = importlib.metadata.version('torch')\n"
    "except Exception:\n"
    "    version = found.origin\n"
    "print('Python', sys.version.split()[0] + ', torch', version, end='')\n";
constexpr int kNoTorch = 3;

std::string NamedPython() {
  const char* const named = std::getenv("HONE_PYTHON");
  return named != nullptr && *named != '\0' ? named : "/usr/bin/python3";
}

}  // namespace

Result<PythonTorch> FindPythonTorch() {
  Command command;
  command.arguments = {NamedPython(), "-I", "-c", std::string(kAsk)};
  const std::string& python = command.arguments.front();
  const auto done = RunProcess(command);
  if (!done) return Error{Errc::kUnsupported, done.error().message};
  if (done->end == ProcessResult::End::kExited && done->status == 0) {
    return PythonTorch{python, done->output};
  }
  if (done->end == ProcessResult::End::kExited && done->status == kNoTorch) {
    return Error{Errc::kUnsupported,
                 fmt::format("{} has no torch: install python3-torch, or name another Python in "
                             "HONE_PYTHON",
                             python)};
  }
  return Error{Errc::kUnsupported, fmt::format("{} does not work: {}", python, done->errors)};
}

}  // namespace hone::compute
