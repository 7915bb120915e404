// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>

#include "hone/core/result.h"
#include "hone/sandbox/sandbox.h"

// From a command to what the warden reads. For the sandbox itself.
namespace hone {

struct RecipeFacts {
  std::uint32_t optional_parts = 0;  // WardenPart
  bool maps_itself = false;
  unsigned outer_user = 0;
  unsigned outer_group = 0;
  bool has_memory_group = false;  // Otherwise each process gets a limit of its own.
  bool has_process_group = false;
  bool has_own_name = false;
  bool is_trial = false;
  std::set<std::filesystem::path>
      trees;  // Of views that come as open trees, in OrderedViews' order.
};

Result<void> ValidateSandboxCommand(const SandboxCommand& command);

// The views in the order in which the warden makes them, the devices first.
std::vector<SandboxView> OrderedViews(const SandboxCommand& command);

Result<std::string> MakeRecipe(const SandboxCommand& command, const RecipeFacts& facts);

}  // namespace hone
