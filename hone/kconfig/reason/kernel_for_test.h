// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "hone/base/file.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/reason/tree_index.h"

namespace hone::kconfig {

// Where the source of Linux 6.1 lies: $HONE_KERNEL_TREE, or where scripts/kernel-tree puts it.
inline std::filesystem::path KernelFolder() {
  if (const char* named = std::getenv("HONE_KERNEL_TREE")) return named;
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::filesystem::path base =
      cache != nullptr ? cache : std::filesystem::path(home == nullptr ? "/" : home) / ".cache";
  return base / "hone/kernel-6.1/tree";
}

// The x86_64 default configuration; nullopt, with the reason told, if there is no tree.
inline std::optional<Configuration> KernelDefault() {
  const std::filesystem::path folder = KernelFolder();
  if (!std::filesystem::exists(folder / "Kconfig")) return std::nullopt;
  const auto place = LocateTree(folder, "x86_64");
  if (!place) return std::nullopt;
  const char* path = std::getenv("PATH");
  const Environment environment = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path}};
  const auto tree = LoadTreeOrError(OptionsFor(*place, environment, ShellPolicy::kRun));
  EXPECT_TRUE(tree) << tree.error().message;
  const auto text = ReadFile(folder / "arch/x86/configs/x86_64_defconfig");
  EXPECT_TRUE(text) << text.error().message;
  if (!tree || !text) return std::nullopt;
  Configuration configuration(*tree);
  LoadConfig(configuration, *text, {});
  return configuration;
}

}  // namespace hone::kconfig
