// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace hone::kernels {

// What a tree's own list (Documentation/admin-guide/kernel-parameters.txt) says of the command
// line.
class BootParameters {
 public:
  explicit BootParameters(std::string_view text);

  // Of a tree; empty if it came without its list.
  static BootParameters In(const std::filesystem::path& tree);

  // Whether the list has it without a value and never with one. As for the kernel, - and _ are the
  // same.
  bool IsFlag(std::string_view name) const;

 private:
  std::set<std::string> alone_;
  std::set<std::string> with_value_;
};

}  // namespace hone::kernels
