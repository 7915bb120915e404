// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/files/safetensors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <tuple>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/json/json.h"

namespace hone::llm {
namespace {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

constexpr std::size_t kLengthBytes = 8;
constexpr std::size_t kMaxHeader = 100'000'000;  // As in the format's own library.
constexpr std::size_t kMaxHeaderDepth = 4;
constexpr std::size_t kMaxDimensions = 16;
constexpr std::size_t kHeaderAlignment = 8;
constexpr std::string_view kMetadata = "__metadata__";

Error Corrupt(std::string_view what, std::string message) {
  return Error{Errc::kCorrupt, fmt::format("{}: {}", what, message)};
}

struct PlacedTensor {
  TensorView view;
  std::size_t begin = 0;
  std::size_t end = 0;
};

Result<PlacedTensor> ReadTensorEntry(const std::string& name, JsonReader entry,
                                     std::string_view what) {
  PlacedTensor tensor;
  tensor.view.name = name;
  const std::string type_name = entry.At("dtype").String();
  for (JsonReader& length : entry.At("shape").Items()) {
    tensor.view.shape.push_back(length.Integer());
  }
  auto offsets = entry.At("data_offsets").Items();
  if (offsets.size() != 2) entry.Fail("data_offsets has two numbers");
  if (offsets.size() == 2) {
    tensor.begin = offsets[0].Unsigned();
    tensor.end = offsets[1].Unsigned();
  }
  entry.RefuseOthers();
  if (auto read = entry.Finish(); !read) return Error{Errc::kCorrupt, read.error().message};
  const auto type = DataTypeNamed(type_name);
  if (!type) {
    return Error{
        Errc::kUnsupported,
        fmt::format("{}: tensor {}: elements of type {} are not supported", what, name, type_name)};
  }
  tensor.view.type = *type;
  if (tensor.view.shape.size() > kMaxDimensions) {
    return Corrupt(what, fmt::format("tensor {}: {} dimensions, over the {} allowed", name,
                                     tensor.view.shape.size(), kMaxDimensions));
  }
  return tensor;
}

// The bytes between the offsets are those of the shape.
Result<void> CheckSize(const PlacedTensor& tensor, std::string_view what) {
  const TensorView& view = tensor.view;
  const auto size = BytesOf(view.type, view.shape);
  if (!size) return Corrupt(what, fmt::format("tensor {}: {}", view.name, size.error().message));
  if (tensor.end < tensor.begin || tensor.end - tensor.begin != *size) {
    return Corrupt(what, fmt::format("tensor {}: {} of type {} takes {} bytes, and its offsets "
                                     "[{}, {}] say something else",
                                     view.name, ShapeText(view.shape), NameOf(view.type), *size,
                                     tensor.begin, tensor.end));
  }
  return {};
}

// Sorted by their offsets the tensors follow each other without a gap from 0 to the end.
Result<void> CheckOrder(std::vector<PlacedTensor>& tensors, std::size_t size,
                        std::string_view what) {
  std::sort(tensors.begin(), tensors.end(), [](const PlacedTensor& a, const PlacedTensor& b) {
    return std::tie(a.begin, a.end, a.view.name) < std::tie(b.begin, b.end, b.view.name);
  });
  std::size_t expected = 0;
  for (const PlacedTensor& tensor : tensors) {
    if (tensor.begin != expected) {
      return Corrupt(what, fmt::format("tensor {}: begins at byte {} where {} was expected: "
                                       "tensors {}",
                                       tensor.view.name, tensor.begin, expected,
                                       tensor.begin < expected ? "overlap" : "leave a gap"));
    }
    expected = tensor.end;
  }
  if (expected == size) return {};
  return Corrupt(what, fmt::format("the header describes {} bytes of tensors and {} are there: {}",
                                   expected, size,
                                   expected > size ? "the file is cut off; fetch it again"
                                                   : "something is behind the last tensor"));
}

Result<std::string_view> HeaderText(std::span<const std::byte> bytes, std::string_view what) {
  if (bytes.size() < kLengthBytes) {
    return Corrupt(what, fmt::format("{} bytes are no safetensors file", bytes.size()));
  }
  std::uint64_t length = 0;
  std::memcpy(&length, bytes.data(), kLengthBytes);
  if (length > kMaxHeader) {
    return Corrupt(what, fmt::format("a header of {} bytes, over the {} allowed: this is no "
                                     "safetensors file",
                                     length, kMaxHeader));
  }
  if (length > bytes.size() - kLengthBytes) {
    return Corrupt(what, fmt::format("a header of {} bytes in a file of {}: it is cut off; fetch "
                                     "it again",
                                     length, bytes.size()));
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + kLengthBytes, length);
  if (!text.starts_with('{')) return Corrupt(what, "the header does not begin with {");
  return text;
}

// Larger elements first, so that every tensor is aligned for its own; then by name.
std::vector<const TensorView*> InFileOrder(std::span<const TensorView> tensors) {
  std::vector<const TensorView*> order;
  order.reserve(tensors.size());
  for (const TensorView& tensor : tensors) order.push_back(&tensor);
  std::sort(order.begin(), order.end(), [](const TensorView* a, const TensorView* b) {
    return std::pair(BytesOf(b->type), std::string_view(a->name)) <
           std::pair(BytesOf(a->type), std::string_view(b->name));
  });
  return order;
}

Result<std::string> MakeHeader(std::span<const TensorView* const> order,
                               const std::map<std::string, std::string>& metadata,
                               std::string_view what) {
  Json header = Json::object();
  if (!metadata.empty()) header[std::string(kMetadata)] = metadata;
  std::size_t begin = 0;
  for (const TensorView* tensor : order) {
    const auto size = BytesOf(tensor->type, tensor->shape);
    if (!size || *size != tensor->bytes.size() || tensor->name == kMetadata) {
      return Error{
          Errc::kInvalidArgument,
          fmt::format("{}: tensor {}: {} bytes are not {} of type {}", what, tensor->name,
                      tensor->bytes.size(), ShapeText(tensor->shape), NameOf(tensor->type))};
    }
    if (header.contains(tensor->name)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: two tensors of the name {}", what, tensor->name)};
    }
    header[tensor->name] = {{"dtype", NameOf(tensor->type)},
                            {"shape", tensor->shape},
                            {"data_offsets", {begin, begin + *size}}};
    begin += *size;
  }
  std::string text = Dump(header);
  text.resize((text.size() + kHeaderAlignment - 1) / kHeaderAlignment * kHeaderAlignment, ' ');
  if (text.size() > kMaxHeader) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: the header is too large", what)};
  }
  return text;
}

}  // namespace

std::string ShapeText(std::span<const std::int64_t> shape) {
  return fmt::format("[{}]", fmt::join(shape, ", "));
}

Result<std::size_t> BytesOf(DataType type, std::span<const std::int64_t> shape) {
  std::size_t bytes = BytesOf(type);
  for (const std::int64_t length : shape) {
    if (length < 0) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("the shape {} has a negative length", ShapeText(shape))};
    }
    if (__builtin_mul_overflow(bytes, static_cast<std::size_t>(length), &bytes)) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("the shape {} is larger than any memory", ShapeText(shape))};
    }
  }
  return bytes;
}

Result<SafetensorsHeader> ParseSafetensors(std::span<const std::byte> bytes,
                                           std::string_view what) {
  const auto text = HeaderText(bytes, what);
  if (!text) return text.error();
  const auto json = ParseJson(*text, fmt::format("{}: header", what),
                              {.bytes = kMaxHeader, .depth = kMaxHeaderDepth});
  if (!json) return Error{Errc::kCorrupt, json.error().message};
  SafetensorsHeader header;
  std::vector<PlacedTensor> tensors;
  JsonReader reader(*json, std::string(what));
  for (auto& [name, entry] : reader.Members()) {
    if (name == kMetadata) {
      for (auto& [key, value] : entry.Members()) header.metadata[key] = value.String();
      continue;
    }
    auto tensor = ReadTensorEntry(name, entry, what);
    if (!tensor) return tensor.error();
    if (auto fits = CheckSize(*tensor, what); !fits) return fits.error();
    tensors.push_back(std::move(*tensor));
  }
  if (auto read = reader.Finish(); !read) return Error{Errc::kCorrupt, read.error().message};
  const auto content = bytes.subspan(kLengthBytes + text->size());
  if (auto chained = CheckOrder(tensors, content.size(), what); !chained) return chained.error();
  for (PlacedTensor& tensor : tensors) {
    tensor.view.bytes = content.subspan(tensor.begin, tensor.end - tensor.begin);
    header.tensors.push_back(std::move(tensor.view));
  }
  return header;
}

Result<SafetensorsFile> SafetensorsFile::Open(const std::filesystem::path& path) {
  auto file = MappedFile::Open(path);
  if (!file) return file.error();
  auto header = ParseSafetensors(file->bytes(), path.native());
  if (!header) return header.error();
  return SafetensorsFile(std::move(*file), std::move(*header));
}

Result<void> WriteSafetensors(const std::filesystem::path& path,
                              std::span<const TensorView> tensors,
                              const std::map<std::string, std::string>& metadata) {
  const auto order = InFileOrder(tensors);
  const auto header = MakeHeader(order, metadata, path.native());
  if (!header) return header.error();
  const std::uint64_t length = header->size();
  std::vector<std::string_view> parts = {{reinterpret_cast<const char*>(&length), kLengthBytes},
                                         *header};
  for (const TensorView* tensor : order) {
    parts.emplace_back(reinterpret_cast<const char*>(tensor->bytes.data()), tensor->bytes.size());
  }
  return WriteFileDurably(path, parts);
}

}  // namespace hone::llm
