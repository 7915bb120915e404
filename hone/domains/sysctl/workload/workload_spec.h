// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/metric.h"
#include "hone/core/result.h"
#include "hone/core/reward.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/services/service_tunables.h"

namespace hone::sysctl {

// A program to run. {name} in an argument stands for a variable of the run (workload_runner.h).
struct CommandSpec {
  std::vector<std::string> arguments;  // No shell. In a shell spec: "/bin/sh", "-c", the text.
  bool is_shell = false;               // The spec said "shell": "…"; kept for honest display.
  std::map<std::string, std::string> environment;  // On top of a small clean one.
  std::string folder;                              // Where it runs; ours if empty.
  std::vector<int> cpus;                           // Pinned to these, if any.
  std::chrono::milliseconds limit{0};  // It is ended then; 0: the runner's default for its place.
};

// How a number is taken out of the benchmark's output. Exactly one match, or the run fails.
struct Extractor {
  enum class Form {
    kLine,      // A line "name: value", "name=value" or "name = value"; the last one counts.
    kLabel,     // The same, but for case, blanks, hyphens and underscores of the name, with remarks
                // in brackets behind the number; or a number is all that is printed.
    kJsonPath,  // The output is JSON (or its last line is); a path: "/jobs/0/read/iops".
    kRegex,     // A regular expression with one group, or one named like the metric.
  };
  Form form = Form::kLine;
  std::string text;   // Name on the line, JSON pointer, or expression.
  double factor = 1;  // "ns" to "ms": 1e-6.
};

struct MetricSpec {
  MetricFacts facts;
  Extractor extractor;
};

// The service under test.
struct ServiceSpec {
  CommandSpec start;                 // Runs until stopped, in the foreground.
  std::optional<CommandSpec> stop;   // Else SIGTERM, then SIGKILL to the whole tree.
  std::optional<CommandSpec> ready;  // Exit 0 when it can serve; tried until then.
  std::optional<int> ready_port;     // Or: it accepts connections on this port; 0: on {port}.
  std::chrono::milliseconds ready_within{10'000};
  enum class Restart { kWhenSticky, kAlways, kNever };
  Restart restart = Restart::kWhenSticky;
};

struct TripwireSpec {
  double memory_pressure = 0.5;  // Share of a second in which all tasks stall ("full"); 0: off.
  bool has_oom_wire = true;  // An out-of-memory kill, outside of groups with limits of their own.
  bool has_kernel_log_wire = true;  // A kernel message of level err or worse.
  std::vector<Limit> live_limits;   // On "name: value" lines while the benchmark still runs.
};

enum class PageCache { kWarm, kCold };

struct BudgetSpec {
  std::optional<std::int64_t> trials;
  std::optional<std::chrono::seconds> time;
  std::chrono::milliseconds run_timeout{60'000};
  std::optional<std::chrono::milliseconds> expected_run;  // What a run takes, for estimates.
  std::optional<std::int64_t> min_pairs;  // Of the proof; also max_pairs and gate_pairs.
  std::optional<std::int64_t> max_pairs;
  std::optional<std::int64_t> gate_pairs;
};

// What the workload takes along when it is run in a guest, for the options of a kernel.
struct GuestSpec {
  std::vector<std::string> files;  // Files and folders of this machine.
  std::string initramfs;           // Or an archive that has everything,
  std::string disk;                // or a raw image of a disk. Empty: the programs of this machine.
  std::vector<std::string> needs;  // Of its kernel: "INET=y".
  std::optional<std::int64_t> memory_mib;
};

// What to tune for, and how to measure it. docs/formats/workload.md, data/schema/workload.json.
struct WorkloadSpec {
  std::string name;
  std::string description;
  Place place = Place::kHost;
  std::vector<std::string> programs;  // Needed on PATH; checked before anything is touched.
  std::vector<std::string> packages;  // Debian's, that bring the programs: for the message.
  std::vector<CommandSpec> setup;     // Once a session, before the service: make files, init a DB.
  std::vector<CommandSpec> teardown;  // Once a session, at its end, whatever happened.
  std::optional<ServiceSpec> service;
  std::vector<CommandSpec> before_run;  // Before every run, not measured.
  CommandSpec benchmark;
  PageCache page_cache = PageCache::kWarm;
  std::vector<MetricSpec> metrics;
  std::vector<Objective> objectives;  // Empty: the first metric.
  bool wants_front = false;
  std::vector<Limit> limits;
  std::vector<ParameterRequest> parameters;
  Services service_files;  // Whose keys may stand among the parameters.
  TripwireSpec tripwires;
  BudgetSpec budget;
  std::optional<GuestSpec> guest;
  std::vector<std::string> words;              // "memory", "web": how a sentence finds a preset.
  std::vector<std::string> notes;              // What reading it had to assume (older files).
  std::map<std::string, std::string> learner;  // Settings of PPO (older files), for that engine.
};

// Strict: an Error names the document, the path inside it, what was found and what is allowed.
// Loads the older autotuner's files as well (they have "workload_name"). Checks everything that
// can be checked without looking at the machine.
Result<WorkloadSpec> ReadWorkloadSpec(const Json& json, const std::string& what);

// Reads back to an equal spec.
Json ToJson(const WorkloadSpec& spec);

// What can be checked only here: programs on PATH, CPUs that exist, folders.
Result<void> CheckOnThisMachine(const WorkloadSpec& spec);

// The names that {name} in an argument, a folder or a variable of the environment may have.
const std::vector<std::string>& VariableNames();

// Presets by name, from data/presets/*.json when this was built.
std::vector<std::string> PresetNames();
Result<WorkloadSpec> FindPreset(const std::string& name);

}  // namespace hone::sysctl
