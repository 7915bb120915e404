// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "hone/core/result.h"

// A checkout of KernelBench as files that nobody vouches for: they are read and never run here,
// links are not followed, sizes and counts are bounded.
namespace hone::compute {

inline constexpr int kMinKernelBenchLevel = 1;
inline constexpr int kMaxKernelBenchLevel = 3;
inline constexpr int kLevelWithWeights = 4;  // Its models are downloaded; not imported.

struct CheckoutFile {
  int level = 0;
  std::string name;            // "level1/1_Square_matrix_multiplication_"
  std::string summary;         // "Square matrix multiplication (KernelBench, level 1)"
  std::filesystem::path path;  // Within the checkout: "KernelBench/level1/1_….py".
};

struct KernelBenchCheckout {
  std::filesystem::path folder;
  std::string commit;               // As .git says it; empty where it does not.
  std::vector<CheckoutFile> files;  // Of levels 1 to 3, by level and number.
  std::size_t with_weights = 0;     // How many level 4 has.
  // What lies among the problems and is none: "KernelBench/level1/a b.py: …".
  std::vector<std::string> refused;
};

// kNotFound if the folder has no level1 to level3, neither by itself nor in KernelBench/.
Result<KernelBenchCheckout> OpenKernelBenchCheckout(const std::filesystem::path& folder);

// The text of one of its files: a regular one, of 256 KiB at most.
Result<std::string> ReadCheckoutFile(const KernelBenchCheckout& checkout, const CheckoutFile& file);

}  // namespace hone::compute
