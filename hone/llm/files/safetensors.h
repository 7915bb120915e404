// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/mapped_file.h"
#include "hone/core/result.h"
#include "hone/llm/files/data_type.h"

namespace hone::llm {

// A tensor in somebody else's memory: row-major, little-endian, without gaps. `bytes` may lie at
// any address: copy it before it is read as numbers.
struct TensorView {
  std::string name;
  DataType type = DataType::kF32;
  std::vector<std::int64_t> shape;  // Empty for one number.
  std::span<const std::byte> bytes;
};

// "[151936, 896]".
std::string ShapeText(std::span<const std::int64_t> shape);

// Elements times the size of one; an error where that does not fit, or a length is negative.
Result<std::size_t> BytesOf(DataType type, std::span<const std::int64_t> shape);

struct SafetensorsHeader {
  std::vector<TensorView> tensors;  // In the order of their bytes.
  std::map<std::string, std::string> metadata;
};

// Reads a whole file of the format https://github.com/huggingface/safetensors from memory, which
// must outlive what is returned. Everything that the file says of itself is checked: the header's
// size, names given twice, shapes that do not fit, tensors that overlap, leave a gap or end early.
Result<SafetensorsHeader> ParseSafetensors(std::span<const std::byte> bytes, std::string_view what);

// A file of tensors, mapped and read only. The views live as long as this.
class SafetensorsFile {
 public:
  static Result<SafetensorsFile> Open(const std::filesystem::path& path);

  const std::vector<TensorView>& tensors() const { return header_.tensors; }
  const std::map<std::string, std::string>& metadata() const { return header_.metadata; }

 private:
  SafetensorsFile(MappedFile file, SafetensorsHeader header)
      : file_(std::move(file)), header_(std::move(header)) {}

  MappedFile file_;
  SafetensorsHeader header_;
};

// Replaces the file in one step, and it is on disk once this returns. transformers reads no file
// whose metadata lacks {"format": "pt"}.
Result<void> WriteSafetensors(const std::filesystem::path& path,
                              std::span<const TensorView> tensors,
                              const std::map<std::string, std::string>& metadata = {
                                  {"format", "pt"}});

}  // namespace hone::llm
