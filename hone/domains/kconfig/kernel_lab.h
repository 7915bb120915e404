// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "hone/core/result.h"
#include "hone/domains/kconfig/build/kernel_builder.h"
#include "hone/domains/kconfig/build/kernel_source.h"
#include "hone/domains/kconfig/guest/guest.h"

namespace hone::kernels {

// All that it takes to make kernels of one source and to run them.
struct KernelLab {
  KernelSource source;
  std::unique_ptr<KernelBuilder> builder;
  std::unique_ptr<Guest> guest;
  std::string program;          // The first one of its guests.
  std::filesystem::path cache;  // Where everything lies that can be made again.
};

Result<KernelLab> OpenKernelLab(const std::filesystem::path& tree, std::string_view arch);

}  // namespace hone::kernels
