// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/knowledge/documents.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "hone/agent/knowledge/sections.h"

namespace hone::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kFolder = "Documentation";

bool IsDocument(const std::string& path) {
  if (path.starts_with("Documentation/ABI/")) return true;
  const auto ends = [&](std::string_view ending) { return path.ends_with(ending); };
  return ends(".rst") || ends(".txt") || ends(".md");
}

// Walks one folder after the other; what cannot be read is left out and said.
class DocumentWalk {
 public:
  DocumentWalk(fs::path root, const DocumentLimits& limits)
      : root_(std::move(root)), limits_(limits) {}

  DocumentList Walk() {
    Enter(std::string(kFolder), 0);
    std::sort(list_.paths.begin(), list_.paths.end());
    if (links_ > 0) list_.notes.push_back(fmt::format("{} links were not followed", links_));
    return std::move(list_);
  }

 private:
  void Enter(const std::string& folder, std::size_t depth) {
    if (depth > limits_.depth) {
      list_.notes.push_back(
          CleanText(fmt::format("{}: deeper than {} folders: left out", folder, limits_.depth)));
      return;
    }
    std::error_code error;
    fs::directory_iterator entries(root_ / folder, error);
    for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
      const std::string path = folder + "/" + entries->path().filename().string();
      Visit(path, *entries, depth);
      if (is_full_) return;
    }
    if (error) {
      list_.notes.push_back(CleanText(fmt::format("{}: {}", folder, error.message())));
    }
  }

  void Visit(const std::string& path, const fs::directory_entry& entry, std::size_t depth) {
    std::error_code error;
    const fs::file_status status = entry.symlink_status(error);
    if (error) return;
    if (fs::is_symlink(status)) {
      ++links_;
    } else if (fs::is_directory(status)) {
      if (path != "Documentation/translations") Enter(path, depth + 1);
    } else if (fs::is_regular_file(status) && IsDocument(path)) {
      Take(path, entry);
    }
  }

  void Take(const std::string& path, const fs::directory_entry& entry) {
    std::error_code error;
    const std::uintmax_t size = entry.file_size(error);
    if (error) return;
    if (size > limits_.file_bytes) {
      list_.notes.push_back(CleanText(
          fmt::format("{}: {} bytes are more than {}: left out", path, size, limits_.file_bytes)));
      return;
    }
    if (list_.paths.size() >= limits_.files || bytes_ + size > limits_.total_bytes) {
      list_.notes.push_back(fmt::format("more than {} files or {} bytes: the rest is left out",
                                        limits_.files, limits_.total_bytes));
      is_full_ = true;
      return;
    }
    bytes_ += size;
    list_.paths.push_back(path);
  }

  const fs::path root_;
  const DocumentLimits limits_;
  DocumentList list_;
  std::size_t links_ = 0;
  std::uintmax_t bytes_ = 0;
  bool is_full_ = false;
};

// Where sections are about one sysctl each, what their names begin with.
std::string_view SysctlPrefixOf(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> kPrefixes[] = {
      {"Documentation/admin-guide/sysctl/vm.rst", "vm."},
      {"Documentation/admin-guide/sysctl/fs.rst", "fs."},
      {"Documentation/admin-guide/sysctl/kernel.rst", "kernel."},
      {"Documentation/admin-guide/sysctl/net.rst", "net.core."},
      {"Documentation/networking/ip-sysctl.rst", "net.ipv4."}};
  for (const auto& [file, prefix] : kPrefixes) {
    if (path == file) return prefix;
  }
  return {};
}

bool IsPlainName(std::string_view text) {
  return text.size() > 2 && text.front() >= 'a' && text.front() <= 'z' &&
         text.find_first_of(" \t/:()`'\"") == std::string_view::npos;
}

// "aio-nr & aio-max-nr", "dirty_bytes", "randomize_va_space (x86 only)"
std::vector<std::string> NamesInTitle(std::string_view title) {
  std::string rest(title.substr(0, title.find(" (")));
  std::vector<std::string> names;
  while (!rest.empty()) {
    std::size_t end = rest.size();
    std::size_t skip = 0;
    for (const std::string_view joint : {" & ", ", ", " and "}) {
      const std::size_t at = rest.find(joint);
      if (at < end) std::tie(end, skip) = std::pair(at, joint.size());
    }
    const std::string name = rest.substr(0, end);
    if (!IsPlainName(name)) return {};
    names.push_back(name);
    rest.erase(0, end + skip);
  }
  return names;
}

// How often a section of such a document is what somebody who tunes a kernel is after.
double WeightOf(std::string_view path) {
  constexpr std::pair<std::string_view, double> kWeights[] = {
      {"Documentation/devicetree/", 0.35},
      {"Documentation/ABI/", 0.55},
      {"Documentation/process/", 0.4},
      {"Documentation/maintainer/", 0.4},
      {"Documentation/doc-guide/", 0.3},
      {"Documentation/userspace-api/media/", 0.35},
      {"Documentation/driver-api/", 0.55},
      {"Documentation/sound/", 0.5},
      {"Documentation/gpu/", 0.5},
      {"Documentation/hwmon/", 0.4},
      {"Documentation/fb/", 0.4},
      {"Documentation/input/", 0.5},
      {"Documentation/filesystems/", 0.7},
      {"Documentation/networking/device_drivers/", 0.5},
      {"Documentation/admin-guide/media/", 0.4},
      {"Documentation/core-api/", 0.7},
      {"Documentation/scsi/", 0.5},
      {"Documentation/RCU/", 0.6}};
  for (const auto& [folder, weight] : kWeights) {
    if (path.starts_with(folder)) return weight;
  }
  return 0.8;
}

std::vector<std::string> FullNames(const Section& section, std::string_view path,
                                   const NameBook& book) {
  const std::string_view prefix = SysctlPrefixOf(path);
  std::vector<std::string> names = section.names;
  if (names.empty() && !prefix.empty() && !section.titles.empty()) {
    names = NamesInTitle(section.titles.back());
  }
  for (std::string& name : names) {
    const bool is_boot_word = path == "Documentation/admin-guide/kernel-parameters.txt";
    const std::string full = is_boot_word ? name : book.FullName(name);
    const bool is_bare = full == name && name.find_first_of("./") == std::string::npos;
    const std::string_view before = is_bare ? prefix : std::string_view();
    name = CleanText(fmt::format("{}{}", before, full), 200);
  }
  return names;
}

}  // namespace

Result<DocumentList> ListDocuments(const fs::path& root, const DocumentLimits& limits) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(root / kFolder, error);
  if (!fs::exists(status)) {
    return DocumentList{{}, {fmt::format("{}: no folder Documentation", root.string())}};
  }
  if (!fs::is_directory(status)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: not a folder of its own; a link out of a tree is not followed",
                             (root / kFolder).string())};
  }
  return DocumentWalk(root, limits).Walk();
}

void NameBook::Add(const std::string& name) {
  const std::size_t cut = name.find_last_of(name.front() == '/' ? "/" : "./");
  const std::string part = cut == std::string::npos ? name : name.substr(cut + 1);
  const auto [at, is_new] = by_part_.emplace(part, name);
  if (!is_new && at->second != name) at->second.clear();
}

std::string NameBook::FullName(const std::string& part) const {
  const auto found = by_part_.find(part);
  return found == by_part_.end() || found->second.empty() ? part : found->second;
}

std::vector<Passage> DocumentPassages(std::string_view path, std::string_view text,
                                      const NameBook& book) {
  const std::string shown_path = CleanText(path, 1'000);
  const double weight = WeightOf(path);
  std::vector<Passage> passages;
  for (Section& section : SectionsOf(text, FormOfDocument(path))) {
    Passage passage;
    passage.names = FullNames(section, path, book);
    passage.kind = passage.names.empty() ? PassageKind::kDocument : PassageKind::kInterface;
    passage.title = CleanText(fmt::format("{}", fmt::join(section.titles, " > ")), 600);
    passage.text = CleanText(section.text);
    passage.source = fmt::format("{}:{}", shown_path, section.line);
    passage.weight = weight;
    passages.push_back(std::move(passage));
  }
  return passages;
}

}  // namespace hone::agent
