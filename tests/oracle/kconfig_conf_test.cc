// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <iostream>

#include "tests/oracle/kconfig_conf_oracle.h"
#include "tests/oracle/kconfig_random_tree.h"

// What conf does with its variables, its files and its user, against the kernel's own tool: exit
// status, output, errors and every file that it writes.
namespace hone::kconfig {
namespace {

class KconfigConfTest : public ::testing::Test {
 protected:
  void SetUp() override {
    static const Result<KernelOracle> found = KernelOracle::Find();
    if (!found) GTEST_SKIP() << "needs Debian's linux-source-6.1: " << found.error().message;
    oracle_ = *found;
  }

  void TearDown() override {
    std::cout << fmt::format("{} equal, {} different\n", tally_.equal, tally_.different.size());
    for (const std::string& what : tally_.different) ADD_FAILURE() << what;
  }

  KernelOracle oracle_;
  Tally tally_;
};

TEST_F(KconfigConfTest, RandomTreesAreTreatedAlike) {
  constexpr const char* kModes[] = {
      "olddefconfig",  "alldefconfig",  "allnoconfig",   "allyesconfig",  "allmodconfig",
      "listnewconfig", "helpnewconfig", "yes2modconfig", "mod2yesconfig", "mod2noconfig",
      "savedefconfig", "syncconfig",    "oldconfig",     "oldaskconfig",  "defconfig"};
  const char* first = std::getenv("SEED");
  const char* most = std::getenv("COUNT");
  const std::uint64_t begin = first == nullptr ? 0 : std::strtoull(first, nullptr, 10);
  const std::uint64_t count = most == nullptr ? 60 : std::strtoull(most, nullptr, 10);
  for (std::uint64_t seed = begin; seed < begin + count; ++seed) {
    Rng rng(seed);
    RandomKconfig random(rng);
    ConfCall call;
    call.files["Kconfig"] = random.Tree();
    const std::string config = random.Config();
    const std::string seed_config = random.Config();
    call.input = random.Answers();
    for (const std::string mode : kModes) {
      ConfCall next = call;
      next.mode = mode;
      if (mode == "savedefconfig") next.file = "saved";
      if (mode == "defconfig") {
        next.file = "given";
        next.files["given"] = config;
      } else if (mode.starts_with("all")) {
        if (seed % 2 == 0) {
          next.environment["KCONFIG_ALLCONFIG"] = "";
          next.files["all.config"] = seed_config;
        }
      } else if (seed % 5 != 0 || mode == "listnewconfig" || mode == "helpnewconfig") {
        next.files[".config"] = config;
      }
      if (const char* only = std::getenv("MODE"); only != nullptr && mode != only) continue;
      if (std::getenv("MODE") != nullptr) {
        const auto a = RunTheirs(oracle_, nullptr, next);
        const auto b = RunOurs(nullptr, next);
        for (const auto& [name, text] : next.files) {
          std::cout << "=== before " << name << "\n" << text;
        }
        std::cout << "=== theirs\n"
                  << a->output << a->errors << "=== ours\n"
                  << b->output << b->errors;
        for (const auto& [name, text] : a->files) {
          if (!next.files.contains(name)) std::cout << "=== theirs " << name << "\n" << text;
        }
        for (const auto& [name, text] : b->files) {
          if (!next.files.contains(name)) std::cout << "=== ours " << name << "\n" << text;
        }
      }
      CompareCall(oracle_, nullptr, fmt::format("seed {} {}", seed, mode), next, tally_);
    }
  }
}

}  // namespace
}  // namespace hone::kconfig
