// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/kernelbench_checkout.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

#include "hone/base/file.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxCheckoutSource = 256 << 10;
constexpr std::size_t kMaxProblemsOfLevel = 10'000;
constexpr std::size_t kMaxGitFile = 4 << 20;
constexpr std::size_t kMaxStem = 120;

bool IsPlain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// A file's name becomes a folder's, so there is nothing in it that means something to a path.
bool IsPlainStem(const std::string& stem) {
  return !stem.empty() && stem.size() <= kMaxStem && stem.front() != '.' && stem.front() != '-' &&
         std::ranges::all_of(stem, IsPlain);
}

// "1_Square" has 1; what has no number comes last.
int NumberOf(const std::string& stem) {
  int number = 0;
  const auto end = std::from_chars(stem.data(), stem.data() + stem.size(), number);
  return end.ec == std::errc() ? number : std::numeric_limits<int>::max();
}

std::string SummaryOf(const std::string& stem, int level) {
  std::string words = stem.substr(std::min(stem.find_first_not_of("0123456789_"), stem.size()));
  std::ranges::replace(words, '_', ' ');
  while (words.ends_with(' ')) words.pop_back();
  return fmt::format("{} (KernelBench, level {})", words.empty() ? stem : words, level);
}

bool IsFolder(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() == fs::file_type::directory;
}

std::string LevelName(int level) { return fmt::format("level{}", level); }

bool HasLevels(const fs::path& folder) {
  for (int level = kMinKernelBenchLevel; level <= kMaxKernelBenchLevel; ++level) {
    if (IsFolder(folder / LevelName(level))) return true;
  }
  return false;
}

// Where the levels are within the checkout: in KernelBench/, or in the folder itself.
Result<fs::path> PlaceOfLevels(const fs::path& folder) {
  for (const char* place : {"KernelBench", "."}) {
    if (IsFolder(folder / place) && HasLevels(folder / place)) {
      return fs::path(place).lexically_normal();
    }
  }
  return Error{Errc::kNotFound,
               fmt::format("{}: not a checkout of KernelBench: there is no KernelBench/level1, "
                           "level2 or level3 (links are not followed). Get one with: git clone "
                           "https://github.com/ScalingIntelligence/KernelBench",
                           folder.string())};
}

std::vector<std::string> NamesIn(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code fault;
  for (fs::directory_iterator entry(folder, fault), end; !fault && entry != end;
       entry.increment(fault)) {
    names.push_back(entry->path().filename().native());
  }
  return names;
}

void ReadLevel(KernelBenchCheckout& checkout, const fs::path& place, int level) {
  const fs::path inside = (place / LevelName(level)).lexically_normal();
  if (!IsFolder(checkout.folder / inside)) return;
  std::size_t count = 0;
  for (const std::string& name : NamesIn(checkout.folder / inside)) {
    if (!name.ends_with(".py") || name == "__init__.py") continue;
    const std::string stem = name.substr(0, name.size() - 3);
    const fs::path path = inside / name;
    if (!IsPlainStem(stem)) {
      checkout.refused.push_back(fmt::format(
          "{}: its name has more than letters, digits, \"_\", \"-\" and \".\"", path.native()));
    } else if (++count > kMaxProblemsOfLevel) {
      checkout.refused.push_back(
          fmt::format("{}: more than {} problems", inside.native(), kMaxProblemsOfLevel));
      return;
    } else {
      checkout.files.push_back(
          {level, fmt::format("{}/{}", LevelName(level), stem), SummaryOf(stem, level), path});
    }
  }
}

std::string FirstLine(std::string_view text) {
  return std::string(text.substr(0, text.find_first_of("\r\n")));
}

bool IsCommit(const std::string& text) {
  return (text.size() == 40 || text.size() == 64) && std::ranges::all_of(text, [](char c) {
           return std::isxdigit(static_cast<unsigned char>(c)) != 0;
         });
}

bool IsPlainRef(const std::string& ref) {
  return ref.starts_with("refs/") && ref.find("..") == std::string::npos &&
         std::ranges::all_of(ref, [](char c) { return IsPlain(c) || c == '/'; });
}

std::string PackedCommit(const fs::path& git, const std::string& ref) {
  const auto packed = ReadRegularFile(git / "packed-refs", kMaxGitFile);
  if (!packed) return "";
  std::string_view rest = *packed;
  while (!rest.empty()) {
    const std::string line = FirstLine(rest);
    rest.remove_prefix(std::min(rest.size(), line.size() + 1));
    const auto blank = line.find(' ');
    if (blank != std::string::npos && line.substr(blank + 1) == ref) return line.substr(0, blank);
  }
  return "";
}

// Read from git's files: git itself would run what the checkout's configuration names.
std::string CommitOf(const fs::path& folder) {
  const fs::path git = folder / ".git";
  if (!IsFolder(git)) return "";
  const auto head = ReadRegularFile(git / "HEAD", kMaxGitFile);
  if (!head) return "";
  std::string commit = FirstLine(*head);
  constexpr std::string_view kRef = "ref: ";
  if (commit.starts_with(kRef)) {
    const std::string ref = commit.substr(kRef.size());
    if (!IsPlainRef(ref)) return "";
    const auto loose = ReadRegularFile(git / ref, kMaxGitFile);
    commit = loose ? FirstLine(*loose) : PackedCommit(git, ref);
  }
  return IsCommit(commit) ? commit : "";
}

}  // namespace

Result<KernelBenchCheckout> OpenKernelBenchCheckout(const fs::path& folder) {
  KernelBenchCheckout checkout;
  checkout.folder = folder;
  const auto place = PlaceOfLevels(folder);
  if (!place) return place.error();
  checkout.commit = CommitOf(folder);
  for (int level = kMinKernelBenchLevel; level <= kMaxKernelBenchLevel; ++level) {
    ReadLevel(checkout, *place, level);
  }
  const auto order = [](const CheckoutFile& file) {
    return std::tuple(file.level, NumberOf(file.path.stem().native()), file.name);
  };
  std::ranges::sort(checkout.files, {}, order);
  std::ranges::sort(checkout.refused);
  const fs::path weights = folder / *place / LevelName(kLevelWithWeights);
  if (IsFolder(weights)) {
    checkout.with_weights = static_cast<std::size_t>(std::ranges::count_if(
        NamesIn(weights), [](const std::string& name) { return name.ends_with(".py"); }));
  }
  return checkout;
}

Result<std::string> ReadCheckoutFile(const KernelBenchCheckout& checkout,
                                     const CheckoutFile& file) {
  return ReadRegularFile(checkout.folder / file.path, kMaxCheckoutSource);
}

}  // namespace hone::compute
