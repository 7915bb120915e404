// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/files/safetensors.h"

namespace hone::llm {

inline constexpr std::string_view kWeightsFile = "model.safetensors";
inline constexpr std::string_view kWeightsIndexFile = "model.safetensors.index.json";

// The weights of a model's folder, by name: of one file, or of the files that an index names. All
// are mapped; the views live as long as this.
class Checkpoint {
 public:
  // Every file that the index names is opened, and has what the index says. Files are looked for in
  // the folder alone.
  static Result<Checkpoint> Open(const std::filesystem::path& folder);

  const TensorView* Find(std::string_view name) const;  // Null if there is none.

  // An error that names tensor and folder, if it is missing or has another shape.
  Result<TensorView> Get(std::string_view name, std::span<const std::int64_t> shape) const;

  std::vector<std::string> names() const;  // Sorted.
  std::size_t bytes() const;               // Of all tensors.
  std::size_t file_count() const { return files_.size(); }

 private:
  explicit Checkpoint(std::filesystem::path folder) : folder_(std::move(folder)) {}
  Result<void> OpenShards();
  Result<std::size_t> Add(const std::filesystem::path& file);

  std::filesystem::path folder_;
  std::vector<SafetensorsFile> files_;
  std::map<std::string, const TensorView*, std::less<>> tensors_;
};

}  // namespace hone::llm
