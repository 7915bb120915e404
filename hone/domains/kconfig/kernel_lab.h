// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/kconfig/build/kernel_builder.h"
#include "hone/domains/kconfig/build/kernel_source.h"
#include "hone/domains/kconfig/guest/guest.h"
#include "hone/domains/kconfig/kernel_measurement.h"
#include "hone/domains/kconfig/options/kernel_options.h"

namespace hone::kernels {

// All that it takes to make kernels of one source and to run them.
struct KernelLab {
  KernelSource source;
  std::unique_ptr<KernelBuilder> builder;
  std::unique_ptr<Guest> guest;
  std::string program;          // The first one of its guests.
  std::string emulator;         // Digest of the program that runs them; empty: it is not there.
  std::filesystem::path cache;  // Where everything lies that can be made again.
};

Result<KernelLab> OpenKernelLab(const std::filesystem::path& tree, std::string_view arch);

// A whole configuration: a base (OptionsRequest::base) with wishes as "NAME=VALUE". An Error says
// what is in the way.
Result<CompleteConfig> ConfigFor(const KernelLab& lab, const std::string& base,
                                 const std::vector<std::string>& wishes);

// The same for options that are loaded.
Result<CompleteConfig> ConfigFor(const KernelOptions& options,
                                 const std::vector<std::string>& wishes);

// All workloads, once, under instruction counting.
MeasureOrder MeasureAll(const KernelLab& lab, const BuiltKernel& kernel);

}  // namespace hone::kernels
