// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/data_type.h"

#include <array>

namespace hone::llm {
namespace {

struct DataTypeRow {
  DataType type;
  std::size_t bytes;
  std::string_view name;
  std::string_view torch_name;
};

// In the order of the enumerators.
constexpr std::array<DataTypeRow, 10> kDataTypes = {{{DataType::kF64, 8, "F64", "float64"},
                                                     {DataType::kF32, 4, "F32", "float32"},
                                                     {DataType::kF16, 2, "F16", "float16"},
                                                     {DataType::kBF16, 2, "BF16", "bfloat16"},
                                                     {DataType::kI64, 8, "I64", "int64"},
                                                     {DataType::kI32, 4, "I32", "int32"},
                                                     {DataType::kI16, 2, "I16", "int16"},
                                                     {DataType::kI8, 1, "I8", "int8"},
                                                     {DataType::kU8, 1, "U8", "uint8"},
                                                     {DataType::kBool, 1, "BOOL", "bool"}}};

const DataTypeRow& RowOf(DataType type) { return kDataTypes.at(static_cast<std::size_t>(type)); }

}  // namespace

std::size_t BytesOf(DataType type) { return RowOf(type).bytes; }

std::string_view NameOf(DataType type) { return RowOf(type).name; }

std::string_view TorchNameOf(DataType type) { return RowOf(type).torch_name; }

std::optional<DataType> DataTypeNamed(std::string_view name) {
  for (const DataTypeRow& row : kDataTypes) {
    if (row.name == name) return row.type;
  }
  return std::nullopt;
}

std::optional<DataType> DataTypeOfTorch(std::string_view name) {
  for (const DataTypeRow& row : kDataTypes) {
    if (row.torch_name == name) return row.type;
  }
  return std::nullopt;
}

}  // namespace hone::llm
