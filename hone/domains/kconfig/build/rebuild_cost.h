// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace hone::kernels {

// What a change of options costs to build, known before: kbuild notes for each object which options
// its sources mention, and makes exactly these again (the .cmd files of a built tree).
class RebuildCost {
 public:
  // What is among the flags (FlagOptions) makes every object again.
  static RebuildCost Read(const std::filesystem::path& build_folder,
                          std::set<std::string> flags = {});

  std::size_t objects() const { return objects_; }
  std::size_t Of(const std::set<std::string>& options) const;  // Objects; names without CONFIG_.

 private:
  std::size_t objects_ = 0;
  std::map<std::string, std::vector<std::uint32_t>> by_option_;
  std::set<std::string> flags_;
};

// The options by which the makefiles of a source decide on a compiler's arguments for everything.
// No object mentions them. `folder` is that of the processor: arch/x86.
std::set<std::string> FlagOptions(const std::filesystem::path& source,
                                  const std::filesystem::path& folder);

// The options whose lines differ between two configurations (EssenceOf).
std::set<std::string> DifferentOptions(const std::string& one, const std::string& other);

}  // namespace hone::kernels
