// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/learn/ppo.h"
#include "hone/learn/ppo_settings.h"

namespace hone::learn {

// A trained policy with all that its training needs to go on; docs/formats/policy.md.
struct PolicyFile {
  std::string environment;
  PpoSettings settings;
  TrainerState state;
  Options environment_options = {};  // Where the environment is a domain's.
};

// One line of JSON, then the numbers as bytes. The same for equal policies.
std::string ToText(const PolicyFile& policy);

// kCorrupt if a byte is missing or changed; `what` names it in messages.
Result<PolicyFile> ReadPolicy(const std::string& text, const std::string& what);

// In the folder of a training, beside its curve.
inline constexpr const char* kPolicyName = "policy";

// Durably, in one step.
Result<void> SavePolicy(const PolicyFile& policy, const std::filesystem::path& path);
Result<PolicyFile> LoadPolicy(const std::filesystem::path& path);

}  // namespace hone::learn
