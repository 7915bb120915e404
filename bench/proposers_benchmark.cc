// SPDX-License-Identifier: Apache-2.0
// Our proposers on noisy surfaces whose truth is known; bench/proposers runs it and its peers.
#include <CLI/CLI.hpp>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/arena_campaign.h"
#include "bench/benchmark_main.h"
#include "bench/proposers_arena.h"
#include "hone/tune/proposers/bayes.h"
#include "hone/tune/proposers/random_search.h"

namespace hone {
namespace {

using Json = nlohmann::json;

struct Run {
  double score = 0;
  double milliseconds = 0;  // Of one ask and one tell, on average.
};

Result<Run> RunOurs(const tune::ProposerEntry& entry, const std::string& surface, int budget,
                    std::uint64_t seed) {
  Arena arena(surface, seed);
  auto proposer = entry.make(SettingsFor(arena, seed, budget));
  if (!proposer) return proposer.error();
  const auto campaign = PlayIn(arena, **proposer, budget);
  if (!campaign) return campaign.error();
  const auto score = JudgeIn(arena, **proposer);
  if (!score) return score.error();
  return Run{.score = *score,
             .milliseconds = static_cast<double>(campaign->spent.count()) * 1e-6 / budget};
}

int RunAll(const std::vector<std::string>& proposers, const std::vector<std::string>& surfaces,
           const std::vector<int>& budgets, const std::vector<std::uint64_t>& seeds) {
  const std::map<std::string, tune::ProposerEntry> ours = {{"bayes", tune::BayesEntry()},
                                                           {"random", tune::RandomSearchEntry()}};
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

}  // namespace

int BenchmarkMain(int argc, char** argv) {
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

}  // namespace hone
