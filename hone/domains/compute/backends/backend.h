// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "hone/base/host.h"
#include "hone/base/json/json.h"
#include "hone/core/evaluation.h"
#include "hone/core/result.h"
#include "hone/core/task.h"
#include "hone/domains/compute/judge/machine_peak.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/runner/runner.h"

namespace hone::compute {

// Whose source it is. A reference comes with the problem and is trusted with its speed, not with
// the machine: it is built and run in a sandbox all the same.
enum class TensorRole { kCandidate, kReference };

// A higher precision serves to know the error of the declared one.
enum class Precision { kDeclared, kHigh };

struct BuildOrder {
  const Problem& problem;
  std::string source;
  TensorRole role = TensorRole::kCandidate;
  Precision precision = Precision::kDeclared;
  std::chrono::milliseconds limit{60'000};
  std::stop_token stop = {};
};

// What was built, in a form that its backend understands. Immutable; shared by threads.
struct Artefact {
  std::string id;                            // Of the content: equal ids, equal artefacts.
  std::filesystem::path file;                // In the build cache; may be gone, `bytes` stays.
  std::string bytes;                         // A library, or the checked source.
  std::string source;                        // Where loading needs it besides.
  std::map<std::string, std::string> notes;  // "compiler": "g++ 12.2.0", …
};

// What compiling came to. What the source does wrong is an outcome, never an Error.
struct Build {
  Outcome outcome = Outcome::kAccepted;  // Or kBuildFailed, kTimedOut, kRejected, kCheated.
  std::string reason;
  std::string output;                        // Of the compiler, whole as far as the limit goes.
  std::shared_ptr<const Artefact> artefact;  // If accepted.
  bool is_cached = false;
  std::chrono::nanoseconds time{0};
};

struct LoadOrder {
  const Problem& problem;
  std::shared_ptr<const Artefact> artefact = {};  // Null: a runner that makes empty calls only.
  TensorRole role = TensorRole::kCandidate;
  Precision precision = Precision::kDeclared;
  std::size_t arena_bytes = 0;  // What the arrays of the largest call take, with room to move.
  std::vector<int> cpus = {};   // The runner is pinned to these, if any.
  std::chrono::milliseconds limit{30'000};
  std::stop_token stop = {};
};

// A runner, or what the source did instead of loading.
struct Loaded {
  std::unique_ptr<Runner> runner;
  std::optional<RunnerFault> fault;
};

struct BackendFacts {
  std::string name;
  std::string summary;
  Capabilities needs;
  bool has_high_precision = false;
  bool loads_fast = false;  // In milliseconds: an evaluation can have many processes.
  // Empty if it works here; else why not, and what to install: `hone doctor` shows it.
  std::string missing;
  // Kernels run beside the processors: what these do slows them only while they are timed, and a
  // process of the reference is as fast in the hundredth evaluation as in the first.
  bool has_device = false;
  // How long a call may take, unless the reference takes that long itself: a kernel that hangs
  // keeps all others from the device. 0: as long as the run may.
  std::chrono::nanoseconds call_timeout{0};
};

// What a device was like when kernels were timed on it.
struct DeviceSight {
  Json facts = Json::object();
  std::string warning;     // What makes the times doubtful; empty if nothing does.
  bool is_shared = false;  // With others than us.
};

// One call under the tools that look for what a run alone does not show.
struct SanitizeOrder {
  const Problem& problem;
  std::shared_ptr<const Artefact> artefact;
  const Sizes& sizes;
  std::span<const Tensor> inputs;
  std::chrono::milliseconds limit{60'000};
  std::stop_token stop = {};
};

struct SanitizerReport {
  // What each came to: "clean", "faulty", "not finished", "failed", "not run".
  Json tools = Json::object();
  std::string reason;    // What the first that found something says; empty: nothing.
  std::string output;    // All that it says.
  bool is_whole = true;  // Every tool came to an end.
};

// How sources of one kind are built, loaded and called. Safe for concurrent use; what it keeps
// (a build cache, warm spares) is bounded. Implementations must pass backend_contract.h.
class Backend {
 public:
  virtual ~Backend() = default;

  virtual const BackendFacts& Facts() const = 0;

  // What it asks of a problem beyond its format: kInvalidArgument says what is missing.
  virtual Result<void> Check(const Problem& problem) const = 0;

  // Builds in a sandbox; runs nothing of the source outside one. Cached by content.
  virtual Result<Build> Compile(const BuildOrder& order) = 0;

  // Starts a process in a sandbox of its own, which holds this one source and nothing else.
  virtual Result<Loaded> Load(const LoadOrder& order) = 0;

  // What one evaluation at a time has, from before anything of its candidate is loaded; null where
  // there is no such thing.
  [[nodiscard]] virtual std::shared_ptr<void> TakeTurn() { return nullptr; }

  // What several have at a time, while nobody has a turn: for what a reference computes before.
  [[nodiscard]] virtual std::shared_ptr<void> ShareTurn(const std::stop_token& /*stop*/) {
    return nullptr;
  }

  // As long as the result lives, nothing is started ahead: for whoever times something. With a
  // device, nothing can be loaded either.
  [[nodiscard]] virtual std::shared_ptr<void> KeepStill() { return nullptr; }

  // Of a device besides the processor; nothing where there is none.
  virtual std::optional<DeviceSight> Look() { return std::nullopt; }

  // Whether there are such tools: kUnsupported says what to install.
  virtual Result<void> CanSanitize() const {
    return Error{Errc::kUnsupported, Facts().name + " has no sanitizer"};
  }
  virtual Result<SanitizerReport> Sanitize(const SanitizeOrder& order) {
    static_cast<void>(order);
    return CanSanitize().error();
  }

  // Below what it would take at this rate, no time is believed.
  virtual MachinePeak Peak() const { return MeasuredPeak(); }
  // Measures it once more, before somebody is accused by it: the best of all that was seen.
  virtual MachinePeak RaisePeak() { return RaiseMeasuredPeak(); }
};

// What a runner under this policy may use besides its arrays: never so much that the machine has
// nothing left for anybody else.
inline std::int64_t MemoryLimitMib(const Policy& policy) {
  const std::int64_t all = MachineMemoryMib();
  return all > 0 ? std::min(policy.memory_mib, all / 4 * 3) : policy.memory_mib;
}

// How a backend is found by name. Listed in compute_domain.cc.
struct BackendEntry {
  std::string name;
  std::string summary;
  Capabilities needs;  // As in its facts.
  // What it asks of a problem on every machine; a part of Backend::Check.
  std::function<Result<void>(const Problem&)> check;
  // `cache` is a folder for what it keeps between processes.
  std::function<Result<std::unique_ptr<Backend>>(const std::filesystem::path& cache)> make;
};
using BackendTable = std::map<std::string, BackendEntry>;

}  // namespace hone::compute
