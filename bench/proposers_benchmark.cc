// SPDX-License-Identifier: Apache-2.0
// Our proposers on noisy surfaces whose truth is known; bench/proposers runs it and its peers.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/proposers_arena.h"
#include "hone/tune/bayes.h"
#include "hone/tune/random_search.h"

namespace hone {
namespace {

using Json = nlohmann::json;

struct Run {
  double score = 0;
  double milliseconds = 0;  // Of one ask and one tell, on average.
};

Result<Run> RunOurs(const ProposerEntry& entry, const std::string& surface, int budget,
                    std::uint64_t seed) {
  Arena arena(surface, seed);
  ProposerSettings settings{.space = arena.space(),
                            .baseline = {.assignment = arena.space().Defaults(), .source = {}},
                            .seed = seed,
                            .planned_trials = budget,
                            .wants_front = false,
                            .options = {}};
  auto proposer = entry.make(settings);
  if (!proposer) return proposer.error();
  std::chrono::nanoseconds spent{0};
  for (std::int64_t number = 0; number < budget; ++number) {
    const auto start = std::chrono::steady_clock::now();
    auto asked = (*proposer)->Ask();
    spent += std::chrono::steady_clock::now() - start;
    if (!asked) return asked.error();
    const Arena::Reply reply = arena.Evaluate(asked->assignment);
    Trial trial;
    trial.number = number;
    trial.candidate = *asked;
    trial.outcome = reply.is_failed ? Outcome::kCrashed : Outcome::kAccepted;
    trial.reward = {.mean = reply.reward, .standard_error = kArenaNoise, .count = 1};
    const auto resumed = std::chrono::steady_clock::now();
    if (auto told = (*proposer)->Tell(trial); !told) return told.error();
    spent += std::chrono::steady_clock::now() - resumed;
  }
  auto best = (*proposer)->Recommend(1);
  if (!best) return best.error();
  const double milliseconds = static_cast<double>(spent.count()) * 1e-6 / budget;
  return Run{.score = best->empty() ? 0 : arena.Judge(best->front().candidate.assignment),
             .milliseconds = milliseconds};
}

int RunAll(const std::vector<std::string>& proposers, const std::vector<std::string>& surfaces,
           const std::vector<int>& budgets, const std::vector<std::uint64_t>& seeds) {
  const std::map<std::string, ProposerEntry> ours = {{"bayes", BayesEntry()},
                                                     {"random", RandomSearchEntry()}};
  for (const auto& proposer : proposers) {
    for (const auto& surface : surfaces) {
      for (const int budget : budgets) {
        for (const std::uint64_t seed : seeds) {
          const auto run = RunOurs(ours.at(proposer), surface, budget, seed);
          if (!run) {
            std::cerr << run.error().message << "\n";
            return 3;
          }
          std::cout << Json({{"surface", surface},
                             {"budget", budget},
                             {"seed", seed},
                             {"proposer", proposer},
                             {"score", run->score},
                             {"ms", run->milliseconds}})
                           .dump()
                    << std::endl;
        }
      }
    }
  }
  return 0;
}

int Main(int argc, char** argv) {
  CLI::App app("Our proposers and a peer's on the same noisy surfaces (see bench/proposers)");
  app.require_subcommand(1);
  std::vector<std::string> proposers{"bayes", "random"};
  std::vector<std::string> surfaces;
  std::vector<int> budgets{30};
  std::vector<std::uint64_t> seeds{0};
  CLI::App* run = app.add_subcommand("run", "Try our proposers");
  run->add_option("--proposers", proposers)->delimiter(',');
  run->add_option("--surfaces", surfaces)->delimiter(',')->required();
  run->add_option("--budgets", budgets)->delimiter(',');
  run->add_option("--seeds", seeds)->delimiter(',');
  CLI::App* serve = app.add_subcommand("serve", "Answer a peer on standard input");
  CLI11_PARSE(app, argc, argv);
  if (serve->parsed()) {
    ServeArena();
    return 0;
  }
  return RunAll(proposers, surfaces, budgets, seeds);
}

}  // namespace
}  // namespace hone

int main(int argc, char** argv) {
  try {
    return hone::Main(argc, argv);
  } catch (const std::exception& fault) {
    std::cerr << "proposers_benchmark: " << fault.what() << "\n";
    return 3;
  }
}
