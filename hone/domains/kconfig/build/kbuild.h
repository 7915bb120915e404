// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "hone/domains/kconfig/build/kernel_builder.h"
#include "hone/domains/kconfig/build/kernel_source.h"

namespace hone::kernels {

// The tree's own kbuild, outside of the tree, in a sandbox: a tree is not trusted. The same
// configuration, compiler and tree give the same bytes. Kernels that were built are not built
// again, and others start from the nearest tree with its objects.
//
// There is no ccache below: what an option changes in a header that all include, it changes in all
// preprocessed texts, so that hits are what the nearest tree has anyway, and each miss costs a
// third more.
class Kbuild final : public KernelBuilder {
 public:
  Kbuild(KernelSource source, const std::filesystem::path& cache);
  ~Kbuild() override;

  Result<KernelBuild> Build(const KernelOrder& order) override;
  std::optional<std::size_t> CostOf(const std::string& config) override;
  std::optional<std::size_t> CostBetween(const std::string& from, const std::string& to) override;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace hone::kernels
