// SPDX-License-Identifier: Apache-2.0
// Campaigns with language models whose skill is known; bench/agent runs it and judges.
#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdint>
#include <functional>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/agent_endpoints.h"
#include "bench/arena_campaign.h"
#include "bench/benchmark_main.h"
#include "bench/proposers_arena.h"
#include "hone/agent/proposer/llm_proposer.h"
#include "hone/base/json/json.h"
#include "hone/domains/toy/toy_surface.h"
#include "hone/tune/proposers/bayes.h"

namespace hone {
namespace {

struct Job {
  std::string endpoint;  // "none" is bayes alone.
  std::string surface;
  std::uint64_t seed = 0;
  int budget = 30;
  std::int64_t max_tokens = 0;
  bool wants_curve = false;  // The score after each trial, not only after the last.
};

struct Played {
  std::vector<double> curve;
  int invalid = 0;  // Candidates that the space does not allow; there must be none.
};

Result<Played> Play(Arena& arena, tune::Proposer& proposer, const Job& job) {
  Played played;
  for (int number = 0; number < job.budget; ++number) {
    const auto asked = proposer.Ask();
    if (!asked) return asked.error();
    if (!arena.space().Validate(asked->assignment)) ++played.invalid;
    const Arena::Reply reply = arena.Evaluate(asked->assignment);
    tune::Trial trial;
    trial.number = number;
    trial.candidate = *asked;
    trial.outcome = reply.is_failed ? Outcome::kCrashed : Outcome::kAccepted;
    trial.reward = {.mean = reply.reward, .standard_error = arena.noise(), .count = 1};
    if (auto told = proposer.Tell(trial); !told) return told.error();
    if (!job.wants_curve && number + 1 < job.budget) continue;
    const auto score = JudgeIn(arena, proposer);
    if (!score) return score.error();
    played.curve.push_back(*score);
  }
  return played;
}

// A crash is worth less than anything that runs.
std::function<double(const Assignment&)> WorthOn(const toy::Surface& surface) {
  return [&surface](const Assignment& assignment) {
    const toy::Truth truth = surface.At(assignment);
    return truth.is_crash ? -1 : truth.throughput;
  };
}

Result<Json> RunJob(const Job& job) {
  const auto start = std::chrono::steady_clock::now();
  Arena arena(job.surface, job.seed);
  const auto surface = toy::Surface::Make(job.surface, kArenaGain);
  if (!surface) return surface.error();
  EndpointBill bill;
  const auto settings = SettingsFor(arena, job.seed, job.budget);
  auto proposer =
      job.endpoint == "none"
          ? tune::MakeBayes(settings)
          : agent::MakeLlmProposer(settings, MakeEndpoint({.kind = job.endpoint,
                                                           .space = arena.space(),
                                                           .optimum = surface->optimum(),
                                                           .worth = WorthOn(*surface),
                                                           .seed = job.seed,
                                                           .max_tokens = job.max_tokens},
                                                          bill));
  if (!proposer) return proposer.error();
  const auto played = Play(arena, **proposer, job);
  if (!played) return played.error();
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
  return Json{{"endpoint", job.endpoint},
              {"surface", job.surface},
              {"seed", job.seed},
              {"curve", played->curve},
              {"invalid", played->invalid},
              {"questions", bill.questions},
              {"tokens", bill.tokens},
              {"max_tokens", job.max_tokens},
              {"longest_question", bill.longest_question},
              {"after_refusal", bill.after_refusal},
              {"seconds", spent.count()}};
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  CLI::App app("Campaigns with language models whose skill is known (see bench/agent)");
  std::vector<std::string> endpoints;
  std::vector<std::string> surfaces;
  std::vector<std::uint64_t> seeds{0};
  Job job;
  app.add_option("--endpoints", endpoints)->delimiter(',')->required();
  app.add_option("--surfaces", surfaces)->delimiter(',')->required();
  app.add_option("--seeds", seeds)->delimiter(',');
  app.add_option("--budget", job.budget);
  app.add_option("--tokens", job.max_tokens)->default_val(100'000);
  app.add_flag("--curves", job.wants_curve);
  CLI11_PARSE(app, argc, argv);
  for (const std::string& surface : surfaces) {
    for (const std::string& endpoint : endpoints) {
      for (const std::uint64_t seed : seeds) {
        job.endpoint = endpoint;
        job.surface = surface;
        job.seed = seed;
        const auto result = RunJob(job);
        if (!result) {
          std::cerr << result.error().message << "\n";
          return 3;
        }
        std::cout << Dump(*result) << std::endl;
      }
    }
  }
  return 0;
}

}  // namespace hone
