// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "hone/agent/chat/chat_settings.h"
#include "hone/app/builtins.h"
#include "hone/base/clock.h"
#include "hone/measure/machine_facts.h"

// What this build and this machine can do, and why not.
namespace hone::app {

struct Check {
  enum class State { kOk, kLimited, kMissing };
  std::string area;  // "build", "store", "domains", "machine", …
  std::string name;
  State state = State::kOk;
  std::string detail;  // What there is; or the reason, and what to do.
};

std::string_view NameOf(Check::State state);

std::vector<Check> CheckBuild(const Builtins& builtins);
std::vector<Check> CheckStore(const std::filesystem::path& store);

// Whether kernel parameters of this host wait to be put back: by a tuner that is at work, or after
// one that was killed. Empty if none do.
std::string DescribeJournal();

// Each domain with its default options: what it needs and whether this machine has that. One that
// cannot be made without being told more (a problem) lacks nothing.
std::vector<Check> CheckDomains(const DomainTable& domains);

// Of the domain compute: what can be judged here, and by what.
std::vector<Check> CheckBackends();

// Each preset of hone tune: whether its programs are here.
std::vector<Check> CheckPresets();

// Each built-in service whose configuration can be tuned: whether it is here.
std::vector<Check> CheckServices();

// What bears on measuring. `watch` tells about the machine to judge.
std::vector<Check> CheckMachine(const MachineWatch& watch);

// What bears on isolation, of this very process.
std::vector<Check> CheckIsolation();

// Of the language model that is configured: asks it three small questions, and tells what it can
// do. Takes as long as its answers take.
std::vector<Check> CheckChat(const agent::ChatSettings& settings, Clock& clock);

// What the sandbox can do on this machine: each protection, tried.
std::vector<Check> CheckSandbox();

}  // namespace hone::app
