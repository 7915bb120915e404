// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/python_torch.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdlib>
#include <string_view>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/json.h"
#include "hone/base/subprocess.h"
#include "hone/core/rng.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostAnswer = 64 << 10;

// Where torch would come from, without importing it.
constexpr std::string_view kLocate =
    "import importlib.util as u, sys\n"
    "s = u.find_spec('torch')\n"
    "print(sys.version.split()[0])\n"
    "print(s.origin if s else '')\n";
constexpr std::string_view kAsk = "import torch; print(torch.__version__)";

std::string FirstLine(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

Result<std::string> Ask(const std::string& python, std::string_view program) {
  Command command;
  command.arguments = {python, "-I", "-c", std::string(program)};
  auto done = RunProcess(command);
  if (!done) return done.error();
  if (done->end != ProcessResult::End::kExited || done->status != 0) {
    const std::size_t last = done->errors.find_last_not_of('\n');
    const std::string said = done->errors.substr(0, last + 1);
    return Error{Errc::kUnsupported,
                 fmt::format("{}: {}", python, said.substr(said.rfind('\n') + 1))};
  }
  return done->output;
}

std::string StampOf(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  return fmt::format("{} {} {}", file.native(), status.st_size, status.st_mtim.tv_sec);
}

std::string Python() {
  const char* const named = std::getenv("HONE_PYTHON");
  return named != nullptr && *named != '\0' ? named : "/usr/bin/python3";
}

}  // namespace

Result<PythonTorch> FindPythonTorch(const fs::path& cache) {
  const std::string python = Python();
  const auto located = Ask(python, kLocate);
  if (!located) return Error{Errc::kUnsupported, located.error().message};
  const std::string version = FirstLine(*located);
  const std::string torch = FirstLine(std::string_view(*located).substr(version.size() + 1));
  if (torch.empty()) {
    return Error{Errc::kUnsupported,
                 fmt::format("{} has no torch: install python3-torch, or name another Python in "
                             "HONE_PYTHON",
                             python)};
  }
  const std::string stamp = StampOf(python) + "\n" + StampOf(torch) + "\n";
  const fs::path file = cache / fmt::format("torch-{:016x}", DigestOf(stamp));
  if (const auto kept = ReadFile(file, kMostAnswer); kept && kept->starts_with(stamp)) {
    return PythonTorch{python, kept->substr(stamp.size())};
  }
  const auto answer = Ask(python, kAsk);
  if (!answer) return answer.error();
  const PythonTorch found{python, fmt::format("Python {}, torch {}", version, FirstLine(*answer))};
  if (MakeFolder(cache)) (void)WriteFileDurably(file, stamp + found.version);
  return found;
}

}  // namespace hone::compute
