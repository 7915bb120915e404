// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/engine/decoder.h"
#include "hone/llm/engine/placement.h"

namespace hone::llm {

// Of all commands of hone-llm.
struct ProgramFlags {
  std::vector<std::filesystem::path> folders;
  std::optional<bool> is_on_gpu;  // Where there is one, if not said.
  std::optional<DataType> type;   // BF16 on a GPU, F32 on the processor.
  std::filesystem::path adapter;
  std::filesystem::path base;
  std::string shape = "small";  // Of a new model.
  DecoderSettings decoder;
  std::int64_t threads = 0;  // 0: as torch likes.
  std::int64_t batch = 64;
  std::int64_t prompt = 256;
  std::int64_t tokens = 128;

  Placement placement() const;
};

Result<ProgramFlags> ReadProgramFlags(std::span<const std::string> words);

}  // namespace hone::llm
