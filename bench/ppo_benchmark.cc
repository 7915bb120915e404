// SPDX-License-Identifier: Apache-2.0
// Trains PPO, and tries it as a proposer, for bench/ppo; a JSON document a line.
#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "bench/arena_campaign.h"
#include "bench/benchmark_main.h"
#include "bench/proposers_arena.h"
#include "hone/env/classic_control.h"
#include "hone/learn/kernels.h"
#include "hone/learn/ppo.h"
#include "hone/learn/ppo_proposer.h"
#include "hone/tune/proposers/bayes.h"
#include "hone/tune/proposers/random_search.h"
#include "hone/tune/proposers/trial_history.h"

namespace hone {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kEvaluationSeed = 1'000'000;

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double ProcessorSeconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// The return of one episode without exploration.
Result<double> Play(learn::PpoTrainer& trainer, env::Environment& environment, std::uint64_t seed) {
  auto observation = environment.Reset(seed);
  if (!observation) return observation.error();
  double total = 0;
  while (true) {
    auto transition = environment.Step(trainer.Decide(*observation));
    if (!transition) return transition.error();
    total += transition->reward;
    if (transition->IsEnd()) return total;
    observation = std::move(transition->observation);
  }
}

Result<Json> Evaluate(learn::PpoTrainer& trainer, const std::string& name, int episodes) {
  auto environment = env::MakeClassicControl(name);
  if (!environment) return environment.error();
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < episodes; ++i) {
    const auto total =
        Play(trainer, **environment, kEvaluationSeed + static_cast<std::uint64_t>(i));
    if (!total) return total.error();
    sum += *total;
    squares += *total * *total;
  }
  const double mean = sum / episodes;
  return Json{{"mean", mean},
              {"deviation", std::sqrt(std::max(squares / episodes - mean * mean, 0.0))},
              {"episodes", episodes}};
}

Result<Json> Train(const std::string& name, const learn::PpoSettings& settings, int episodes) {
  auto environments = env::MakeClassicControls(name, settings.n_envs);
  if (!environments) return environments.error();
  auto trainer = learn::PpoTrainer::Make(settings, **environments);
  if (!trainer) return trainer.error();
  const double began = Now();
  const double processor = ProcessorSeconds();
  learn::TrainReport report;
  while (!(*trainer)->IsDone()) {
    auto iterated = (*trainer)->Iterate();
    if (!iterated) return iterated.error();
    report = *iterated;
  }
  Json json{{"environment", name},
            {"seed", settings.seed},
            {"steps", report.steps},
            {"seconds", Now() - began},
            {"processor_seconds", ProcessorSeconds() - processor},
            {"training_reward", report.mean_reward.value_or(0)},
            {"kernels", learn::BestKernels().name}};
  if (episodes > 0) {
    auto evaluated = Evaluate(**trainer, name, episodes);
    if (!evaluated) return evaluated.error();
    json["evaluation"] = *evaluated;
  }
  return json;
}

Result<std::unique_ptr<tune::Proposer>> MakeOne(const std::string& name,
                                                const tune::ProposerSettings& settings) {
  if (name == "bayes") return tune::MakeBayes(settings);
  if (name == "random") return tune::MakeRandomSearch(settings);
  if (name.starts_with("ppo")) return learn::MakePpoProposer(settings);
  return Error{Errc::kNotFound, "proposer " + name + ": there is none of this name"};
}

// What an earlier campaign on the same surface leaves to a later one: of the same budget, with
// other noise and another seed. ppo-warm has the trials of random search, ppo-policy what ppo
// learnt, ppo-again what ppo learnt and its trials.
Result<std::map<std::string, std::string>> Inheritance(const std::string& name,
                                                       const std::string& surface, int budget,
                                                       std::uint64_t seed) {
  constexpr std::uint64_t kEarlier = 1000;
  std::map<std::string, std::string> options;
  if (name == "ppo" || !name.starts_with("ppo")) return options;
  if (name != "ppo-warm" && name != "ppo-policy" && name != "ppo-again") {
    return Error{Errc::kNotFound, "proposer " + name + ": there is none of this name"};
  }
  Arena arena(surface, seed + kEarlier);
  auto earlier =
      MakeOne(name == "ppo-warm" ? "random" : "ppo", SettingsFor(arena, seed + kEarlier, budget));
  if (!earlier) return earlier.error();
  const auto campaign = PlayIn(arena, **earlier, budget);
  if (!campaign) return campaign.error();
  if (name != "ppo-warm") options["initial_policy"] = (*earlier)->Learnt();
  if (name != "ppo-policy") options["history"] = tune::HistoryText(campaign->trials);
  return options;
}

Result<Json> Tune(const std::string& name, const std::string& surface, int budget,
                  std::uint64_t seed, std::map<std::string, std::string> options) {
  auto inherited = Inheritance(name, surface, budget, seed);
  if (!inherited) return inherited.error();
  options.merge(*inherited);
  Arena arena(surface, seed);
  auto proposer = MakeOne(name, SettingsFor(arena, seed, budget, std::move(options)));
  if (!proposer) return proposer.error();
  if (auto played = PlayIn(arena, **proposer, budget); !played) return played.error();
  const auto score = JudgeIn(arena, **proposer);
  if (!score) return score.error();
  return Json{{"proposer", name},
              {"surface", surface},
              {"budget", budget},
              {"seed", seed},
              {"score", *score}};
}

int Tell(const Result<Json>& json) {
  if (!json) {
    std::cerr << json.error().message << "\n";
    return 3;
  }
  std::cout << json->dump() << std::endl;
  return 0;
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  CLI::App app("PPO on classic control and as a proposer (see bench/ppo)");
  app.require_subcommand(1);
  std::string name;
  std::vector<std::string> settings;
  std::vector<std::uint64_t> seeds{1};
  int episodes = 100;
  CLI::App* train = app.add_subcommand("train", "Train with the zoo's settings");
  train->add_option("--env", name)->required();
  train->add_option("--seeds", seeds)->delimiter(',');
  train->add_option("--episodes", episodes);
  train->add_option("-o", settings);
  std::vector<std::string> surfaces;
  std::vector<int> budgets{30};
  CLI::App* tune = app.add_subcommand("tune", "Try a proposer on noisy surfaces");
  tune->add_option("--proposer", name)->required();
  tune->add_option("--surfaces", surfaces)->delimiter(',')->required();
  tune->add_option("--budgets", budgets)->delimiter(',');
  tune->add_option("--seeds", seeds)->delimiter(',');
  tune->add_option("-o", settings);
  CLI11_PARSE(app, argc, argv);
  std::map<std::string, std::string> options;
  for (const std::string& setting : settings) {
    const std::size_t sign = setting.find('=');
    options[setting.substr(0, sign)] = setting.substr(std::min(sign + 1, setting.size()));
  }
  for (const std::uint64_t seed : seeds) {
    if (train->parsed()) {
      learn::PpoSettings ppo = learn::ZooSettings(name);
      ppo.seed = seed;
      for (const auto& [option, text] : options) {
        if (auto set = learn::SetPpoOption(ppo, option, text); !set) return Tell(set.error());
      }
      if (const int fault = Tell(Train(name, ppo, episodes)); fault != 0) return fault;
      continue;
    }
    for (const std::string& surface : surfaces) {
      for (const int budget : budgets) {
        if (const int fault = Tell(Tune(name, surface, budget, seed, options)); fault != 0) {
          return fault;
        }
      }
    }
  }
  return 0;
}

}  // namespace hone
