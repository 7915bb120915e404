// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/compute_options.h"

#include <fmt/format.h>

#include "hone/domains/compute/problem/problem_reader.h"
#include "hone/domains/option_reader.h"

namespace hone::compute {
namespace {

Result<Problem> ProblemOf(const std::string& name, const std::string& text) {
  if (name.empty() == text.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("compute: give problem (there is: {}) or problem_text, one of the two",
                             fmt::join(ProblemNames(), ", "))};
  }
  return text.empty() ? FindProblem(name) : ParseProblem(text, "problem_text");
}

// The same problem under another policy.
Result<Problem> UnderPolicy(const Problem& problem, const std::string& policy) {
  const auto changed = ParseJson(policy, "policy");
  if (!changed) return changed.error();
  auto json = ParseJson(problem.text, "problem");
  if (!json) return json.error();
  (*json)["policy"] = *changed;
  return ParseProblem(Dump(*json), problem.name);
}

SanitizeWhen ReadSanitize(const std::string& word) {
  return word == "never"    ? SanitizeWhen::kNever
         : word == "always" ? SanitizeWhen::kAlways
                            : SanitizeWhen::kRecords;
}

}  // namespace

const std::vector<OptionFacts>& ComputeOptionFacts() {
  static const std::vector<OptionFacts> facts = {
      {"problem", "", "What is to be computed: a name in data/problems."},
      {"problem_text", "", "Or a problem of your own as JSON text (docs/formats/problem.md)."},
      {"policy", "", "A policy as JSON text, instead of the problem's."},
      {"trials", "5", "Of correctness, at least; every shape and distribution is tried."},
      {"samples", "100",
       "Timed calls of each side, at most (six times as many of those under 50 us, four times as "
       "many on a GPU); 0: only whether it is right."},
      {"warmup", "3", "Calls of each side before that, at least."},
      {"precision", "0.01",
       "Enough calls when the speedup is known this well, either way (three times as coarsely "
       "for calls of 10 us)."},
      {"timing_budget_ms", "200", "For the timed calls of one evaluation."},
      {"build_limit_ms", "60000", "For the compiler."},
      {"cache", "fresh",
       "State of the caches at a call: fresh (the judge has just written the arrays on another "
       "core) or cold (every line flushed)."},
      {"others", "mark",
       "While others use the GPU: mark (kernels are timed, and that is said) or wait (until they "
       "have gone, or the run's limit is over: then there is no verdict)."},
      {"sanitize", "records",
       "Which GPU kernels run under compute-sanitizer besides, where it is installed: records (the "
       "fastest so far), always (else it is not judged) or never."},
      {"inputs", "fresh",
       "Where the inputs of the trials come from: fresh (nobody can know them) or seeded (from the "
       "task's seed, to look at a fault again). Those of timed calls are always fresh."},
  };
  return facts;
}

Result<ComputeOptions> ReadComputeOptions(const Options& options) {
  OptionReader reader("compute", ComputeOptionFacts(), options);
  const std::string name = reader.Text("problem");
  const std::string text = reader.Text("problem_text");
  const std::string policy = reader.Text("policy");
  ComputeOptions read;
  JudgeSettings& settings = read.settings;
  settings.trials = reader.Integer("trials", 1, 1000);
  settings.samples = reader.Integer("samples", 0, 1'000'000);
  settings.warm_up = reader.Integer("warmup", 0, 10'000);
  settings.precision = reader.Number("precision", 0, 1);
  settings.timing_budget =
      std::chrono::milliseconds{reader.Integer("timing_budget_ms", 1, 86'400'000)};
  settings.build_timeout =
      std::chrono::milliseconds{reader.Integer("build_limit_ms", 1, 3'600'000)};
  settings.cache =
      reader.Choice("cache", {"fresh", "cold"}) == "cold" ? CacheState::kCold : CacheState::kFresh;
  settings.waits_for_others = reader.Choice("others", {"mark", "wait"}) == "wait";
  settings.sanitize = ReadSanitize(reader.Choice("sanitize", {"records", "always", "never"}));
  settings.are_inputs_seeded = reader.Choice("inputs", {"fresh", "seeded"}) == "seeded";
  if (const auto finished = reader.Finish(); !finished) return finished.error();
  auto problem = ProblemOf(name, text);
  if (problem && !policy.empty()) problem = UnderPolicy(*problem, policy);
  if (!problem) return problem.error();
  if (const auto fits = CheckTrials(*problem, settings.trials); !fits) return fits.error();
  read.terms = TermsOf(options, *problem);
  read.problem = std::move(*problem);
  return read;
}

}  // namespace hone::compute
