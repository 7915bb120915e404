// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/imported_problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <system_error>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/sha256.h"
#include "hone/domains/compute/problem/problem.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

constexpr const char* kReferenceName = "reference.py";
constexpr const char* kUnfinished = ".unfinished";  // Folders on their way in, or out.
constexpr int kMaxDepth = 2;

Result<void> Moved(const fs::path& from, const fs::path& to) {
  std::error_code fault;
  fs::rename(from, to, fault);
  if (!fault) return {};
  return Error{Errc::kUnavailable,
               fmt::format("{}: cannot be put there: {}", to.native(), fault.message())};
}

bool IsThere(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(fs::symlink_status(path, ignored));
}

bool HasSource(const fs::path& folder, const std::string& source) {
  const auto problem = ReadProblemFolder(folder);
  return problem && problem->backend == "torch" && problem->reference == source;
}

Result<void> FillFolder(const fs::path& folder, const KernelBenchCheckout& checkout,
                        const CheckoutFile& file, const std::string& source) {
  const Json problem = {{"name", file.name},
                        {"summary", file.summary},
                        {"backend", "torch"},
                        {"reference_file", kReferenceName}};
  const Json origin = {{"from", "KernelBench"},
                       {"commit", checkout.commit},
                       {"file", file.path.generic_string()},
                       {"level", file.level},
                       {"digest", SourceDigest(source)}};
  if (auto made = MakeFolder(folder); !made) return made;
  for (const auto& [name, text] : {std::pair<const char*, std::string>{kReferenceName, source},
                                   {"origin.json", Dump(origin) + '\n'},
                                   {"problem.json", Dump(problem) + '\n'}}) {
    if (auto written = WriteFileAtomically(folder / name, text); !written) return written;
  }
  const auto read = ReadProblemFolder(folder);
  return read ? Result<void>() : read.error();
}

bool IsProblemFolder(const fs::path& folder) {
  std::error_code ignored;
  return fs::symlink_status(folder / "problem.json", ignored).type() == fs::file_type::regular;
}

void CollectNames(const fs::path& folder, const std::string& prefix, int depth,
                  std::vector<std::string>& names) {
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    const std::string name = entry->path().filename().native();
    std::error_code ignored;
    if (name.starts_with('.') || entry->symlink_status(ignored).type() != fs::file_type::directory)
      continue;
    if (IsProblemFolder(entry->path())) {
      names.push_back(prefix + name);
    } else if (depth < kMaxDepth) {
      CollectNames(entry->path(), prefix + name + '/', depth + 1, names);
    }
  }
}

}  // namespace

std::string SourceDigest(const std::string& source) { return Sha256Of(source); }

fs::path FolderOfImported(const fs::path& into, const std::string& name) { return into / name; }

Result<Written> WriteImported(const fs::path& into, const KernelBenchCheckout& checkout,
                              const CheckoutFile& file, const std::string& source) {
  const fs::path place = FolderOfImported(into, file.name);
  const bool was_there = IsThere(place);
  if (was_there && HasSource(place, source)) return Written::kUnchanged;
  const fs::path coming = into / kUnfinished / "coming" / file.name;
  const fs::path going = into / kUnfinished / "going" / file.name;
  std::error_code ignored;
  fs::remove_all(coming, ignored);
  fs::remove_all(going, ignored);
  if (auto filled = FillFolder(coming, checkout, file, source); !filled) return filled.error();
  for (const fs::path& parent : {place.parent_path(), going.parent_path()}) {
    if (auto made = MakeFolder(parent); !made) return made.error();
  }
  if (was_there) {
    if (auto moved = Moved(place, going); !moved) return moved.error();
  }
  if (auto moved = Moved(coming, place); !moved) return moved.error();
  fs::remove_all(going, ignored);
  return was_there ? Written::kUpdated : Written::kNew;
}

void ClearUnfinished(const fs::path& into) {
  std::error_code ignored;
  fs::remove_all(into / kUnfinished, ignored);
}

std::vector<std::string> ImportedNames(const fs::path& into) {
  std::vector<std::string> names;
  CollectNames(into, "", 1, names);
  std::ranges::sort(names, [](const std::string& one, const std::string& other) {
    return ::strverscmp(one.c_str(), other.c_str()) < 0;
  });
  return names;
}

}  // namespace hone::compute
