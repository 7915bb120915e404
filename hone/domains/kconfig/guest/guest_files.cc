// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_files.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/domains/kconfig/guest/elf_program.h"
#include "hone/domains/kconfig/guest/folder_files.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFile = 256 << 20;
constexpr std::size_t kMaxAll = std::size_t{1} << 30;

// Debian's name for the folders of a processor's libraries; empty: none is known.
std::string MultiarchOf(std::uint16_t machine) {
  switch (machine) {
    case EM_X86_64:
      return "x86_64-linux-gnu";
    case EM_AARCH64:
      return "aarch64-linux-gnu";
    case EM_RISCV:
      return "riscv64-linux-gnu";
    default:
      return "";
  }
}

// Where the dynamic linker of a guest looks, which has no cache of others.
std::vector<fs::path> UsualFolders(std::uint16_t machine) {
  std::vector<fs::path> folders;
  if (const std::string name = MultiarchOf(machine); !name.empty()) {
    folders = {"/lib/" + name, "/usr/lib/" + name};
  }
  for (const char* folder : {"/lib", "/usr/lib", "/lib64", "/usr/lib64"}) {
    folders.emplace_back(folder);
  }
  return folders;
}

// Of what lies in a folder not everything is run, and what it needs may be absent.
enum class Missing { kTold, kPassedOver };

class Luggage {
 public:
  explicit Luggage(const std::vector<fs::path>& library_folders) : folders_(library_folders) {}

  Result<void> AddProgram(const std::string& name) {
    const auto found = FindProgram(name, SearchPath());
    if (!found) {
      return Error{Errc::kUnavailable,
                   fmt::format("{}: no such program is here to take along", name)};
    }
    return AddNamed(*found);
  }

  // As a user named it: a link becomes what it points to, and libraries come with it.
  Result<void> AddNamed(const fs::path& path) {
    if (auto added = AddFile(path); !added) return added;
    return AddLibraries(path, Missing::kTold);
  }

  Result<void> AddFolder(const fs::path& path) {
    std::vector<fs::path> ours;
    FolderReader reader;
    reader.max_file = kMaxFile;
    reader.wants = [&](const fs::path& name) { return !Has(path / name); };
    reader.take = [&](FolderFile file) {
      if (file.is_ours) ours.push_back(path / file.name);
      return Keep(path / file.name, std::move(file.content), file.is_program);
    };
    if (auto read = ReadFolder(path, reader); !read) return read;
    for (const fs::path& file : ours) {
      if (auto added = AddLibraries(file, Missing::kPassedOver); !added) return added;
    }
    return {};
  }

  Result<std::vector<InitramfsFile>> Finish() && {
    for (const auto& [library, wanted_by] : missing_) {
      if (!HasNamed(library)) return NotThere(library, wanted_by);
    }
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

  static Error NotThere(const std::string& library, const fs::path& wanted_by) {
    return {Errc::kUnavailable,
            fmt::format("{}: needs {}, which is not in the usual folders of libraries; name the "
                        "file in guest.files",
                        wanted_by.native(), library)};
  }

  static std::string InsideOf(const fs::path& path) { return path.relative_path().string(); }
  bool Has(const fs::path& path) const { return files_.contains(InsideOf(path)); }

  bool HasNamed(const std::string& name) const {
    return std::any_of(files_.begin(), files_.end(), [&](const auto& file) {
      return fs::path(file.first).filename() == name || "/" + file.first == name;
    });
  }

  Result<void> Keep(const fs::path& path, std::string content, bool is_program) {
    size_ += content.size();
    if (size_ > kMaxAll) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: with it more than {} MiB are taken along; bring a disk",
                               path.native(), kMaxAll >> 20)};
    }
    const std::string inside = InsideOf(path);
    files_[inside] = {inside, std::move(content), is_program};
    return {};
  }

  Result<void> AddFile(const fs::path& path) {
    if (Has(path)) return {};
    std::error_code fault;
    const fs::path real = fs::canonical(path, fault);
    if (fault) {
      return Error{Errc::kUnavailable, fmt::format("{}: {}", path.string(), fault.message())};
    }
    auto text = ReadRegularFile(real, kMaxFile);
    if (!text) return text.error();
    return Keep(path, std::move(*text), IsProgram(path));
  }

  // With what they need in turn, each once.
  Result<void> AddLibraries(const fs::path& first, Missing missing) {
    std::vector<fs::path> left{first};
    while (!left.empty()) {
      const fs::path path = std::move(left.back());
      left.pop_back();
      const auto program = ReadElfProgram(files_.at(InsideOf(path)).content);
      if (!program) continue;
      for (const fs::path& library : LibrariesOf(*program, path, missing)) {
        if (Has(library)) continue;
        if (auto added = AddFile(library); !added) return added;
        left.push_back(library);
      }
    }
    return {};
  }

  std::vector<fs::path> LibrariesOf(const ElfProgram& program, const fs::path& path,
                                    Missing missing) {
    const auto folders = folders_.empty() ? UsualFolders(program.machine) : folders_;
    std::vector<fs::path> libraries;
    const auto add = [&](const std::string& name, const fs::path& found) {
      if (!found.empty()) {
        libraries.push_back(found);
      } else if (missing == Missing::kTold) {
        missing_.emplace(name, path);
      }
    };
    if (!program.loader.empty()) add(program.loader, LoaderIn(folders, program));
    for (const std::string& name : program.needed_names) {
      add(name, LibraryIn(folders, name, program.machine));
    }
    return libraries;
  }

  // A program may name any file for its linker; only what lies where linkers do is one.
  fs::path LoaderIn(const std::vector<fs::path>& folders, const ElfProgram& program) const {
    const fs::path loader = program.loader;
    const bool is_usual =
        std::find(folders.begin(), folders.end(), loader.parent_path()) != folders.end();
    return is_usual ? LibraryIn({loader.parent_path()}, loader.filename(), program.machine) : "";
  }

  // Empty: there is none for this processor.
  fs::path LibraryIn(const std::vector<fs::path>& folders, const std::string& name,
                     std::uint16_t machine) const {
    if (name.find('/') != std::string::npos || name == "." || name == "..") return "";
    for (const fs::path& folder : folders) {
      if (Has(folder / name)) return folder / name;
      const auto text = ReadFile(folder / name, kMaxFile);
      const auto library = text ? ReadElfProgram(*text) : std::nullopt;
      if (library && library->machine == machine) return folder / name;
    }
    return "";
  }

  const std::vector<fs::path>& folders_;          // Empty: the usual ones.
  std::map<std::string, InitramfsFile> files_;    // By their path inside.
  std::map<std::string, fs::path> missing_ = {};  // Libraries, and a file that needs each.
  std::size_t size_ = 0;
};

}  // namespace

Result<std::vector<InitramfsFile>> TakenAlong(const GuestWorkload& workload,
                                              const std::vector<fs::path>& library_folders) {
  Luggage luggage(library_folders);
  std::vector<fs::path> folders;
  for (const std::string& program : workload.programs) {
    if (auto added = luggage.AddProgram(program); !added) return added.error();
  }
  for (const std::string& file : workload.files) {
    std::error_code fault;
    if (fs::is_directory(file, fault)) {
      folders.emplace_back(file);
    } else if (auto added = luggage.AddNamed(file); !added) {
      return added.error();
    }
  }
  for (const fs::path& folder : folders) {
    if (auto added = luggage.AddFolder(folder); !added) return added.error();
  }
  return std::move(luggage).Finish();
}

}  // namespace hone::kernels
