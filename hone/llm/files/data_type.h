// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace hone::llm {

// What one element of a tensor is, of those that files of language models have.
enum class DataType { kF64, kF32, kF16, kBF16, kI64, kI32, kI16, kI8, kU8, kBool };

std::size_t BytesOf(DataType type);

// As safetensors spells it: "BF16".
std::string_view NameOf(DataType type);
std::optional<DataType> DataTypeNamed(std::string_view name);

// As config.json spells it: "bfloat16".
std::string_view TorchNameOf(DataType type);
std::optional<DataType> DataTypeOfTorch(std::string_view name);

}  // namespace hone::llm
