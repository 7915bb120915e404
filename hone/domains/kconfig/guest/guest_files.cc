// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_files.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <sstream>
#include <system_error>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/base/process/subprocess.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = 256 << 20;

class Luggage {
 public:
  Result<void> AddProgram(const std::string& name) {
    const auto found = FindProgram(name, SearchPath());
    if (!found) {
      return Error{Errc::kUnavailable,
                   fmt::format("{}: no such program is here to take along", name)};
    }
    if (auto added = AddFile(*found); !added) return added;
    return AddLibraries(*found);
  }

  Result<void> AddPath(const fs::path& path) {
    std::error_code fault;
    if (!fs::is_directory(path, fault)) return AddWithLibraries(path);
    for (fs::recursive_directory_iterator at(path, fault), end; !fault && at != end;
         at.increment(fault)) {
      if (!at->is_regular_file(fault)) continue;
      if (auto added = AddWithLibraries(at->path()); !added) return added;
    }
    if (!fault) return {};
    return Error{Errc::kUnavailable, fmt::format("{}: {}", path.string(), fault.message())};
  }

  std::vector<InitramfsFile> Finish() && {
    std::vector<InitramfsFile> files;
    files.reserve(files_.size());
    for (auto& [path, file] : files_) files.push_back(std::move(file));
    return files;
  }

 private:
  static bool IsProgram(const fs::path& path) {
    std::error_code fault;
    const auto permissions = fs::status(path, fault).permissions();
    return !fault && (permissions & fs::perms::owner_exec) != fs::perms::none;
  }

  Result<void> AddWithLibraries(const fs::path& path) {
    if (auto added = AddFile(path); !added) return added;
    const std::string& text = files_.at(path.relative_path().string()).content;
    const bool is_elf = text.starts_with(
        "\x7f"
        "ELF");
    return is_elf ? AddLibraries(path) : Result<void>{};
  }

  // A link becomes what it points to.
  Result<void> AddFile(const fs::path& path) {
    const std::string inside = path.relative_path().string();
    if (files_.contains(inside)) return {};
    std::error_code fault;
    const fs::path real = fs::canonical(path, fault);
    if (fault) {
      return Error{Errc::kUnavailable, fmt::format("{}: {}", path.string(), fault.message())};
    }
    auto text = ReadRegularFile(real, kMaxFile);
    if (!text) return text.error();
    files_[inside] = {inside, std::move(*text), IsProgram(path)};
    return {};
  }

  // Lines as "libc.so.6 => /lib/x86_64-linux-gnu/libc.so.6 (0x7f…)" and "/lib64/ld-… (0x7f…)".
  Result<void> AddLibraries(const fs::path& path) {
    Command command;
    command.arguments = {"ldd", path.string()};
    const auto ran = RunProcess(command);
    if (!ran) return ran.error();
    std::istringstream words(ran->output);
    for (std::string word; words >> word;) {
      if (!word.starts_with('/') || word.ends_with(':')) continue;
      if (auto added = AddFile(word); !added) return added;
    }
    return {};
  }

  std::map<std::string, InitramfsFile> files_;  // By their path inside.
};

}  // namespace

Result<std::vector<InitramfsFile>> TakenAlong(const GuestWorkload& workload) {
  Luggage luggage;
  for (const std::string& program : workload.programs) {
    if (auto added = luggage.AddProgram(program); !added) return added.error();
  }
  for (const std::string& file : workload.files) {
    if (auto added = luggage.AddPath(file); !added) return added.error();
  }
  return std::move(luggage).Finish();
}

}  // namespace hone::kernels
