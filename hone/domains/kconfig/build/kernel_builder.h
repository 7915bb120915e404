// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <stop_token>
#include <string>

#include "hone/core/result.h"

namespace hone::kernels {

// A finished kernel, as it lies in the store.
struct BuiltKernel {
  std::filesystem::path image;
  std::int64_t image_bytes = 0;
  std::int64_t text_bytes = 0;  // Of vmlinux, by `size`.
  std::int64_t data_bytes = 0;
  std::int64_t bss_bytes = 0;
  std::chrono::milliseconds took{0};  // To build it, when that was done.
  int compiled = 0;                   // Objects that were made for it.
};

struct KernelOrder {
  std::string config;  // A complete .config.
  std::chrono::milliseconds limit{3'600'000};
  std::stop_token stop = {};
};

// What came of an order.
struct KernelBuild {
  std::optional<BuiltKernel> kernel;
  bool is_known = false;         // It was there before.
  bool is_config_other = false;  // The tree's own tool made something else of the .config.
  bool is_late = false;
  std::string reason = {};  // Why there is no kernel, as a sentence.
  std::string log = {};     // The end of what make said.
};

// Makes kernels of configurations. Safe for concurrent use.
class KernelBuilder {
 public:
  virtual ~KernelBuilder() = default;

  // An Error means that the machine failed, or that it was asked to stop; whatever the tree or the
  // configuration does wrong is in the build.
  virtual Result<KernelBuild> Build(const KernelOrder& order) = 0;

  // How many objects it would make; nullopt if that is not known (before the first build), 0 if the
  // kernel is there.
  virtual std::optional<std::size_t> CostOf(const std::string& config) = 0;

  // The same for the change from one configuration to another, whatever else was built.
  virtual std::optional<std::size_t> CostBetween(const std::string& from,
                                                 const std::string& to) = 0;
};

}  // namespace hone::kernels
