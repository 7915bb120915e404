// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/build_cache.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/log.h"
#include "hone/base/owner_only.h"
#include "hone/base/sha256.h"
#include "hone/core/rng.h"

namespace hone::compute {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kKeptPerPruning = 32;
constexpr std::size_t kMaxFile = 256 << 20;

// One line that says how long the parts are, then the parts.
std::string Pack(const std::string& key, const KeptBuild& build) {
  const std::string body = key + build.output + build.library;
  const Json head = {{"hone_build", 1},
                     {"is_built", build.is_built},
                     {"key_bytes", key.size()},
                     {"output_bytes", build.output.size()},
                     {"library_bytes", build.library.size()},
                     {"digest", DigestOf(body)}};
  return Dump(head) + "\n" + body;
}

std::optional<KeptBuild> Unpack(const std::string& text, const std::string& key) {
  const std::size_t line = text.find('\n');
  if (line == std::string::npos) return std::nullopt;
  const auto json = ParseJson(std::string_view(text).substr(0, line), "build");
  if (!json) return std::nullopt;
  JsonReader head(*json, "build");
  const std::size_t key_bytes = head.At("key_bytes").Unsigned();
  const std::size_t output_bytes = head.At("output_bytes").Unsigned();
  const std::size_t library_bytes = head.At("library_bytes").Unsigned();
  const std::uint64_t digest = head.At("digest").Unsigned();
  KeptBuild build;
  build.is_built = head.At("is_built").Bool();
  const std::string body = text.substr(line + 1);
  if (!head.Finish() || key_bytes != key.size() ||
      body.size() != key_bytes + output_bytes + library_bytes || DigestOf(body) != digest ||
      !body.starts_with(key)) {
    return std::nullopt;
  }
  build.output = body.substr(key_bytes, output_bytes);
  build.library = body.substr(key_bytes + output_bytes);
  return build;
}

struct OldFile {
  fs::path path;
  fs::file_time_type used;
  std::uintmax_t bytes = 0;
};

std::vector<OldFile> FilesIn(const fs::path& folder) {
  std::vector<OldFile> files;
  std::error_code problem;
  for (fs::directory_iterator at(folder, problem), end; !problem && at != end;
       at.increment(problem)) {
    std::error_code gone;  // Another process may prune at the same time.
    OldFile file{at->path(), at->last_write_time(gone), at->file_size(gone)};
    if (!gone) files.push_back(std::move(file));
  }
  return files;
}

}  // namespace

BuildCache::BuildCache(fs::path folder, BuildCacheLimits limits)
    : folder_(std::move(folder)), limits_(limits) {}

fs::path BuildCache::FileOf(const std::string& key) const {
  return folder_ / (Sha256Of(key) + ".build");
}

std::shared_ptr<const KeptBuild> BuildCache::Find(const std::string& key) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = by_key_.find(key); found != by_key_.end()) {
      held_.splice(held_.begin(), held_, found->second);
      return held_.front().build;
    }
  }
  const fs::path file = FileOf(key);
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return nullptr;
  const auto text = ReadFile(file, kMaxFile);
  if (!text) return nullptr;
  auto build = Unpack(*text, key);
  if (!build) return nullptr;
  fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);
  auto shared = std::make_shared<const KeptBuild>(std::move(*build));
  Remember(key, shared);
  return shared;
}

std::shared_ptr<const KeptBuild> BuildCache::Keep(const std::string& key, KeptBuild build) {
  auto shared = std::make_shared<const KeptBuild>(std::move(build));
  Remember(key, shared);
  auto written = MakePrivateFolder(folder_);  // What it holds begins with the source.
  if (written) written = WriteFileDurably(FileOf(key), Pack(key, *shared));
  if (!written) Log(LogLevel::kWarning, "build cache: {}", written.error().message);
  bool is_due = false;
  {
    const std::lock_guard lock(mutex_);
    is_due = kept_++ % kKeptPerPruning == 0;
  }
  if (is_due) Prune();
  return shared;
}

void BuildCache::Remember(const std::string& key, std::shared_ptr<const KeptBuild> build) {
  const std::lock_guard lock(mutex_);
  if (by_key_.contains(key)) return;
  held_bytes_ += key.size() + build->library.size() + build->output.size();
  held_.push_front({key, std::move(build)});
  by_key_[key] = held_.begin();
  while (held_bytes_ > limits_.memory_bytes && held_.size() > 1) {
    const Held& last = held_.back();
    held_bytes_ -= last.key.size() + last.build->library.size() + last.build->output.size();
    by_key_.erase(last.key);
    held_.pop_back();
  }
}

void BuildCache::Prune() {
  std::vector<OldFile> files = FilesIn(folder_);
  std::ranges::sort(files, std::greater{}, &OldFile::used);
  std::uintmax_t total = 0;
  for (const OldFile& file : files) {
    total += file.bytes;
    std::error_code ignored;
    if (total > limits_.disk_bytes) fs::remove(file.path, ignored);
  }
}

}  // namespace hone::compute
