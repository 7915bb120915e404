// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>

#include "hone/core/result.h"
#include "hone/domains/kconfig/build/kernel_builder.h"

namespace hone::kernels {

// Finished kernels by the text of everything that they were made from. It is stored and compared,
// so that no digest has to be trusted; a folder is there whole or not at all. The oldest go when
// there are too many. Shared by processes.
class KernelStore {
 public:
  // Removes what killed processes left half-made.
  explicit KernelStore(std::filesystem::path folder, std::size_t max = 1000);

  std::optional<BuiltKernel> Find(const std::string& key) const;

  // Copies the image; what is kept then.
  Result<BuiltKernel> Keep(const std::string& key, const BuiltKernel& kernel) const;

 private:
  std::filesystem::path FolderOf(const std::string& key) const;
  void Prune() const;

  std::filesystem::path folder_;
  std::size_t max_;
};

// The lines of a .config that say something, in their order: what two equal kernels share.
std::string EssenceOf(const std::string& config);

}  // namespace hone::kernels
