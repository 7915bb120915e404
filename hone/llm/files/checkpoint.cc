// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "hone/base/file.h"
#include "hone/base/json/json.h"

namespace hone::llm {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxIndexBytes = 64 << 20;
constexpr std::size_t kMaxShards = 10'000;

// Which tensors each file has, by the index.
using ShardContents = std::map<std::string, std::vector<std::string>>;

bool IsPlainFileName(std::string_view name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == name.npos &&
         name.find('\0') == name.npos;
}

Result<ShardContents> ReadIndex(const fs::path& path) {
  const auto text = ReadFile(path, kMaxIndexBytes);
  if (!text) return text.error();
  const auto json = ParseJson(*text, path.native(), {.bytes = kMaxIndexBytes, .depth = 8});
  if (!json) return json.error();
  JsonReader reader(*json, path.native());
  ShardContents shards;
  for (auto& [tensor, file] : reader.At("weight_map").Members()) {
    const std::string name = file.String();
    if (!IsPlainFileName(name)) file.Fail("expected the name of a file in the same folder");
    shards[name].push_back(tensor);
  }
  if (shards.size() > kMaxShards) reader.Fail(fmt::format("{} files are too many", shards.size()));
  if (auto read = reader.Finish(); !read) return read.error();
  return shards;
}

}  // namespace

Result<Checkpoint> Checkpoint::Open(const fs::path& folder) {
  Checkpoint checkpoint(folder);
  std::error_code fault;
  if (fs::exists(folder / kWeightsIndexFile, fault)) {
    if (auto opened = checkpoint.OpenShards(); !opened) return opened.error();
    return checkpoint;
  }
  if (!fs::exists(folder / kWeightsFile, fault)) {
    return Error{Errc::kNotFound, fmt::format("{}: no weights: neither {} nor {} is there",
                                              folder.native(), kWeightsFile, kWeightsIndexFile)};
  }
  if (auto added = checkpoint.Add(folder / kWeightsFile); !added) return added.error();
  return checkpoint;
}

Result<void> Checkpoint::OpenShards() {
  const auto shards = ReadIndex(folder_ / kWeightsIndexFile);
  if (!shards) return shards.error();
  for (const auto& [file, tensors] : *shards) {
    const fs::path path = folder_ / file;
    const auto added = Add(path);
    if (!added && added.error().code == Errc::kNotFound) {
      return Error{Errc::kNotFound, fmt::format("{}: missing, and {} names it; fetch it again",
                                                path.native(), kWeightsIndexFile)};
    }
    if (!added) return added.error();
    for (const std::string& tensor : tensors) {
      const auto& there = files_[*added].tensors();
      const TensorView* found = Find(tensor);
      const bool is_there =
          found != nullptr && !there.empty() && found >= &there.front() && found <= &there.back();
      if (!is_there) {
        return Error{Errc::kCorrupt, fmt::format("{}: tensor {} is not in it, and {} says so",
                                                 path.native(), tensor, kWeightsIndexFile)};
      }
    }
  }
  return {};
}

Result<std::size_t> Checkpoint::Add(const fs::path& file) {
  auto opened = SafetensorsFile::Open(file);
  if (!opened) return opened.error();
  files_.push_back(std::move(*opened));
  for (const TensorView& tensor : files_.back().tensors()) {
    if (!tensors_.emplace(tensor.name, &tensor).second) {
      return Error{Errc::kCorrupt,
                   fmt::format("{}: tensor {} is also in another file of this folder",
                               file.native(), tensor.name)};
    }
  }
  return files_.size() - 1;
}

const TensorView* Checkpoint::Find(std::string_view name) const {
  const auto found = tensors_.find(name);
  return found == tensors_.end() ? nullptr : found->second;
}

Result<TensorView> Checkpoint::Get(std::string_view name,
                                   std::span<const std::int64_t> shape) const {
  const TensorView* tensor = Find(name);
  if (tensor == nullptr) {
    return Error{Errc::kNotFound,
                 fmt::format("{}: the weights have no tensor {}", folder_.native(), name)};
  }
  if (!std::equal(shape.begin(), shape.end(), tensor->shape.begin(), tensor->shape.end())) {
    return Error{Errc::kCorrupt,
                 fmt::format("{}: tensor {}: the shape is {}, and by config.json it is {}",
                             folder_.native(), name, ShapeText(tensor->shape), ShapeText(shape))};
  }
  return *tensor;
}

std::vector<std::string> Checkpoint::names() const {
  std::vector<std::string> names;
  names.reserve(tensors_.size());
  for (const auto& [name, tensor] : tensors_) names.push_back(name);
  return names;
}

std::size_t Checkpoint::bytes() const {
  std::size_t bytes = 0;
  for (const auto& [name, tensor] : tensors_) bytes += tensor->bytes.size();
  return bytes;
}

}  // namespace hone::llm
