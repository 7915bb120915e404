// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/core/evaluation.h"
#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/core/space.h"
#include "hone/core/task.h"

namespace hone {

// A setting that a domain knows: `hone tune toy -o noise=0.05`.
struct OptionFacts {
  std::string name;
  std::string default_value;
  std::string description;
};

// What a domain declares about itself. Facts never change after construction.
struct DomainFacts {
  std::string name;
  std::string summary;               // One line, for `hone doctor` and --help.
  std::vector<MetricFacts> metrics;  // The first is the default objective.
  Capabilities needs;
  bool is_deterministic = false;  // The same seed and position give the same sample.

  // Two runs can be made at the same time in one session, and neither disturbs the other more than
  // it is disturbed: Session::RunTogether. Noise that hits both then falls out of the comparison.
  bool runs_side_by_side = false;

  // Its runs are timed on CPUs of their own: they wait for a slot (eval/worker/run_slots.h).
  // Preparing never does.
  bool needs_slot = false;

  // There is one of what a session holds: a second Open gives kStale while the first one lives.
  bool is_exclusive = false;

  // A session changes the machine itself, and puts it back at the end.
  bool changes_host = false;

  // What a run takes, where that is known before one was made; else 0.
  std::chrono::milliseconds expected_run{0};
};

// Something outside a session that it will change, and put back.
struct PlannedChange {
  std::string what;          // "vm.swappiness"
  std::string now;           // What is in force.
  std::string range;         // What may be tried.
  std::string risk;          // "safe", "sticky: works only for new sockets", …
  std::string caution = {};  // What can go wrong, as a sentence; empty if nothing is known.
};

// What a person should know before the first session is opened.
struct Preview {
  std::vector<PlannedChange> planned_changes;
  std::vector<std::string> notes;  // Conflicts, assumptions, what was left out.
};

// One run to make.
struct RunOrder {
  Arm arm = Arm::kCandidate;
  const Candidate& candidate;  // Prepared before, in this session.
  std::uint64_t seed = 0;      // Of the task.
  std::int64_t position = 0;   // Of this run in the whole campaign.
  std::chrono::milliseconds limit{0};
  std::stop_token stop;     // Asked to stop: end the run soon, the result is not used.
  std::vector<int> cpus{};  // Where to run it; empty: anywhere.
};

// What one run, or one preparation, came to. Only an accepted run has metrics.
struct RunResult {
  Outcome outcome = Outcome::kAccepted;
  std::string reason;
  Sample sample;
  std::vector<Evidence> evidence;
};

// One worker's hold on what the domain measures. The destructor puts everything back.
// Not safe for concurrent use; sessions of one domain may be used side by side.
//
// An Error means that the service failed (the task is offered again); whatever the candidate
// does wrong is an outcome. kStale means that somebody else took what the session held: it is not
// tried again.
class Session {
 public:
  virtual ~Session() = default;

  // Checks and builds; runs nothing of the candidate. Preparing the same candidate again is cheap.
  // Asked to stop: ends soon, the result is not used.
  virtual Result<RunResult> Prepare(const Candidate& candidate, const std::stop_token& stop) = 0;
  Result<RunResult> Prepare(const Candidate& candidate) { return Prepare(candidate, {}); }

  virtual Result<RunResult> Run(const RunOrder& order) = 0;

  // Both at the same time, each in a slot of its own: the first order in slot 0, the second in
  // slot 1, so that the caller can swap them. The results come in the order of the orders.
  // kUnsupported unless the facts say `runs_side_by_side`.
  virtual Result<std::pair<RunResult, RunResult>> RunTogether(const RunOrder& first,
                                                              const RunOrder& second);
};

// A kind of kernel that can be improved. Safe for concurrent use.
// Implementations must pass domains/domain_contract.h.
class Domain {
 public:
  virtual ~Domain() = default;

  virtual const DomainFacts& Facts() const = 0;
  virtual const Space& SearchSpace() const = 0;
  virtual Candidate Baseline() const = 0;  // What is in force now; always prepares and runs.
  virtual Result<std::unique_ptr<Session>> Open() = 0;

  virtual Preview PreviewChanges() const { return {}; }

  // What it costs to try another value of a parameter, beyond the runs: in trials that need
  // nothing but their runs, by the parameter's name. Asked once, when a campaign begins, and kept
  // with it; may take minutes (a first kernel is built). Who is not named costs nothing.
  virtual Result<std::map<std::string, double>> PricesOfChanges() const {
    return std::map<std::string, double>{};
  }

  // The options with which to make it again, later or elsewhere: where what they name is no longer
  // what it is now, that is an error then, and no other domain. Asked once, when a campaign begins.
  virtual Options Pinned(const Options& options) const { return options; }

  // One sentence for people once all sessions are closed: that everything which they changed is
  // back, or what is not and why. Empty where a session changes nothing.
  virtual std::string DescribeRestore() const { return ""; }
};

// How a domain is found by name: one entry each, listed in app/builtins.cc.
struct DomainEntry {
  std::string name;
  std::string summary;
  std::vector<OptionFacts> options;
  std::function<Result<std::unique_ptr<Domain>>(const Options&)> make;

  // What a worker must have for a task with these options, or what is wrong with them, without
  // looking at this machine: a server asks it for every request. Empty: a domain is made and asked.
  std::function<Result<Capabilities>(const Options&)> check = {};

  // In what a verdict under these options would be another one than that for which a name in them
  // stands, so that it could be easier to come by: a sentence each. Empty: in nothing.
  std::function<std::vector<std::string>(const Options&)> deviations = {};

  bool changes_host = false;  // DomainFacts::changes_host under some options.

  // Its options name files of the machine on which it is made: only for somebody whom the worker
  // serves by name.
  bool reads_host = false;
};
using DomainTable = std::map<std::string, DomainEntry>;

// An Error names the first option that is not `known`, and lists what there is; `of` is whose.
Result<void> CheckOptionNames(std::string_view of, const std::vector<OptionFacts>& known,
                              const Options& options);

// Makes the named domain; an unknown name or option is an error that lists what there is.
Result<std::unique_ptr<Domain>> MakeDomain(const DomainTable& table, const std::string& name,
                                           const Options& options);

// What the named domain needs for these options; the same errors.
Result<Capabilities> CheckDomain(const DomainTable& table, const std::string& name,
                                 const Options& options);

}  // namespace hone
