// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/python_torch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "hone/base/process/subprocess.h"
#include "hone/sandbox/sandbox.h"

namespace hone::compute {
namespace {

// First the version, then where Python itself and its torch lie.
constexpr std::string_view kAsk =
    "import importlib.util, os, sys\n"
    "found = importlib.util.find_spec('torch')\n"
    "if found is None: sys.exit(3)\n"
    "try:\n"
    "    import importlib.metadata\n"
    "    version = importlib.metadata.version('torch')\n"
    "except Exception:\n"
    "    version = found.origin\n"
    "print('Python', sys.version.split()[0] + ', torch', version)\n"
    "for place in (sys.executable, os.path.realpath(sys.executable), found.origin): print(place)\n";
constexpr int kNoTorch = 3;
constexpr std::chrono::seconds kAskLimit{10};

std::string NamedPython() {
  const char* const named = std::getenv("HONE_PYTHON");
  return named != nullptr && *named != '\0' ? named : "/usr/bin/python3";
}

// Whether a candidate's sandbox shows it.
bool IsShown(const std::string& place) {
  const auto views = StandardViews();
  return std::ranges::any_of(views, [&](const SandboxView& view) {
    return place == view.host || place.starts_with(view.host.string() + "/");
  });
}

Result<PythonTorch> ReadAnswer(const std::string& python, const std::string& answer) {
  std::istringstream lines(answer);
  PythonTorch found{python, ""};
  std::getline(lines, found.version);
  for (std::string place; std::getline(lines, place);) {
    if (IsShown(place)) continue;
    return Error{Errc::kUnsupported,
                 fmt::format("{}: {} is outside /usr, and candidates see nothing else; name a "
                             "Python with torch under /usr in HONE_PYTHON",
                             python, place)};
  }
  return found;
}

}  // namespace

Result<PythonTorch> FindPythonTorch() {
  Command command;
  command.arguments = {NamedPython(), "-I", "-c", std::string(kAsk)};
  command.limit = kAskLimit;
  const std::string& python = command.arguments.front();
  const auto done = RunProcess(command);
  if (!done) return Error{Errc::kUnsupported, done.error().message};
  if (done->end == ProcessResult::End::kExited && done->status == 0) {
    return ReadAnswer(python, done->output);
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
