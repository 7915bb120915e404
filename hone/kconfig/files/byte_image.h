// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace hone::kconfig {

// A word that differs whenever any eight bytes in a row do, else almost always: it finds damage,
// not forgery.
std::uint64_t ChecksumOf(std::string_view bytes);

// Writes numbers, texts and arrays as they lie in memory: for the program that wrote it, on this
// machine. Each begins at a multiple of eight bytes.
class ImageWriter {
 public:
  void Number(std::uint64_t value) { Append(&value, sizeof value); }
  void Text(std::string_view text) {
    Number(text.size());
    Append(text.data(), text.size());
    bytes_ += '\0';
    Pad();
  }
  template <typename Item>
  void Array(std::span<const Item> items) {
    static_assert(std::is_trivially_copyable_v<Item> && alignof(Item) <= 8);
    Number(items.size());
    Append(items.data(), items.size_bytes());
    Pad();
  }

  const std::string& bytes() const { return bytes_; }
  std::string Take() { return std::move(bytes_); }

 private:
  void Append(const void* from, std::size_t size) {
    bytes_.append(static_cast<const char*>(from), size);
  }
  void Pad() { bytes_.append((8 - bytes_.size() % 8) % 8, '\0'); }

  std::string bytes_;
};

// Reads what ImageWriter wrote, in the same order; views point into the bytes, which lie at a
// multiple of eight. What is not there reads as empty, and is_damaged() from then on.
class ImageReader {
 public:
  explicit ImageReader(std::string_view bytes) : left_(bytes) {}

  std::uint64_t Number() {
    std::uint64_t value = 0;
    const std::string_view bytes = Cut(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  // A zero lies behind it.
  std::string_view Text() {
    const std::uint64_t size = Number();
    if (size >= left_.size()) return Fail();
    return Cut(size + 1).substr(0, size);
  }
  template <typename Item>
  std::span<const Item> Array() {
    const std::uint64_t count = Number();
    if (count > left_.size() / sizeof(Item)) {
      Fail();
      return {};
    }
    const std::string_view bytes = Cut(count * sizeof(Item));
    return {reinterpret_cast<const Item*>(bytes.data()), static_cast<std::size_t>(count)};
  }

  bool is_damaged() const { return is_damaged_; }
  bool is_at_end() const { return left_.empty(); }

 private:
  std::string_view Fail() {
    is_damaged_ = true;
    left_ = {};
    return {};
  }
  std::string_view Cut(std::size_t size) {
    const std::size_t padded = size + (8 - size % 8) % 8;
    if (padded > left_.size()) return Fail();
    const std::string_view cut = left_.substr(0, size);
    left_.remove_prefix(padded);
    return cut;
  }

  std::string_view left_;
  bool is_damaged_ = false;
};

}  // namespace hone::kconfig
