// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "hone/base/process/subprocess.h"
#include "hone/core/result.h"
#include "hone/domains/sysctl/workload/workload_runner.h"

namespace hone::sysctl {

// Which of the stage's prefixes goes before a command.
enum class Side { kService, kBenchmark };

// Turns the commands of a spec into commands that can be run on a stage: variables filled in,
// prefix before them, a small clean environment. Immutable.
class StageCommands {
 public:
  // `scratch` is {folder} unless the stage says otherwise. An Error: no port is free.
  static Result<StageCommands> Make(WorkloadStage stage, const std::filesystem::path& scratch);

  Command Make(const CommandSpec& spec, Side side, std::chrono::milliseconds default_limit) const;

  const WorkloadStage& stage() const { return stage_; }
  int port() const { return std::stoi(stage_.variables.at("port")); }

 private:
  explicit StageCommands(WorkloadStage stage) : stage_(std::move(stage)) {}

  WorkloadStage stage_;
};

// The last lines of a text, for evidence.
std::string TailOf(const std::string& text);

// Both streams of a run that went well, each by its last lines; of errors it is said that they are.
std::string OutputText(const ProcessResult& result);

// How the program ended, as a sentence's end: "exited with status 3", "was killed by signal 9
// (Killed)", "ran over its limit of 5 s".
std::string EndText(const ProcessResult& result, std::chrono::milliseconds limit);

// Whether a command that could not be run cannot be run ever, because of what the workload and this
// machine are; false for what passes, such as too little memory.
bool IsHopeless(const Error& error);

// What it printed, as evidence; nothing for an empty stream.
std::vector<Evidence> OutputEvidence(const std::string& what, const ProcessResult& result);

}  // namespace hone::sysctl
