// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/build/kernel_store.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/sha256.h"
#include "hone/base/temp_dir.h"

namespace hone::kernels {
namespace {

namespace fs = std::filesystem;

constexpr char kFreshName[] = "new";
constexpr char kImageName[] = "image";
constexpr char kKeyName[] = "key";
constexpr char kFactsName[] = "facts.json";

Json FactsOf(const BuiltKernel& kernel) {
  return {{"image_bytes", kernel.image_bytes}, {"text_bytes", kernel.text_bytes},
          {"data_bytes", kernel.data_bytes},   {"bss_bytes", kernel.bss_bytes},
          {"took_ms", kernel.took.count()},    {"compiled", kernel.compiled}};
}

std::optional<BuiltKernel> KernelOf(const std::string& facts, fs::path image) {
  const auto json = ParseJson(facts, "kernel");
  if (!json) return std::nullopt;
  JsonReader reader(*json, "kernel");
  BuiltKernel kernel;
  kernel.image = std::move(image);
  kernel.image_bytes = reader.At("image_bytes").Integer();
  kernel.text_bytes = reader.At("text_bytes").Integer();
  kernel.data_bytes = reader.At("data_bytes").Integer();
  kernel.bss_bytes = reader.At("bss_bytes").Integer();
  kernel.took = std::chrono::milliseconds{reader.At("took_ms").Integer()};
  kernel.compiled = static_cast<int>(reader.At("compiled").Integer());
  if (!reader.Finish()) return std::nullopt;
  std::error_code fault;
  const auto size = fs::file_size(kernel.image, fault);
  if (fault || static_cast<std::int64_t>(size) != kernel.image_bytes) return std::nullopt;
  return kernel;
}

Error Failed(const fs::path& path, const std::error_code& fault) {
  return {Errc::kUnavailable, fmt::format("{}: {}", path.string(), fault.message())};
}

}  // namespace

KernelStore::KernelStore(fs::path folder, std::size_t max) : folder_(std::move(folder)), max_(max) {
  TempDir::RemoveAbandoned(kFreshName, folder_);
}

fs::path KernelStore::FolderOf(const std::string& key) const { return folder_ / Sha256Of(key); }

std::optional<BuiltKernel> KernelStore::Find(const std::string& key) const {
  const fs::path folder = FolderOf(key);
  const auto kept = ReadFile(folder / kKeyName);
  if (!kept || *kept != key) return std::nullopt;
  const auto facts = ReadFile(folder / kFactsName);
  return facts ? KernelOf(*facts, folder / kImageName) : std::nullopt;
}

Result<BuiltKernel> KernelStore::Keep(const std::string& key, const BuiltKernel& kernel) const {
  if (auto made = MakeFolder(folder_); !made) return made.error();
  auto fresh_folder = TempDir::Make(kFreshName, folder_);
  if (!fresh_folder) return fresh_folder.error();
  const fs::path fresh = fresh_folder->path();
  std::error_code fault;
  fs::permissions(fresh, fs::perms(0755), fault);
  fs::copy_file(kernel.image, fresh / kImageName, fault);
  if (fault) return Failed(kernel.image, fault);
  fs::permissions(fresh / kImageName, fs::perms(0644), fault);
  for (const auto& [name, text] : {std::pair{kKeyName, key}, {kFactsName, Dump(FactsOf(kernel))}}) {
    if (auto written = WriteFileDurably(fresh / name, text); !written) return written.error();
  }
  const fs::path folder = FolderOf(key);
  fs::remove_all(folder, fault);  // One that is damaged, or another key of the same digest.
  const auto moved = fresh_folder->KeepAs(folder);
  if (!moved && !Find(key)) return moved.error();  // Else somebody else was faster.
  Prune();
  BuiltKernel kept = kernel;
  kept.image = folder / kImageName;
  return kept;
}

void KernelStore::Prune() const {
  std::vector<std::pair<fs::file_time_type, fs::path>> kernels;
  std::error_code fault;
  for (const auto& entry : fs::directory_iterator(folder_, fault)) {
    const auto time = fs::last_write_time(entry.path(), fault);
    if (!entry.path().filename().string().starts_with(kFreshName)) {
      kernels.emplace_back(time, entry.path());
    }
  }
  TempDir::RemoveAbandoned(kFreshName, folder_);
  std::sort(kernels.begin(), kernels.end());
  for (std::size_t i = 0; i + max_ < kernels.size(); ++i) fs::remove_all(kernels[i].second, fault);
}

std::string EssenceOf(const std::string& config) {
  std::istringstream lines(config);
  std::string essence;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("CONFIG_")) essence += line + "\n";
  }
  return essence;
}

}  // namespace hone::kernels
