// SPDX-License-Identifier: Apache-2.0
// Judges kernels that try to look faster than they are, beside the honest one that they are made
// from; see bench/cheats.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/benchmark_main.h"
#include "bench/cheat_score.h"
#include "bench/cheat_variants.h"
#include "bench/judge.h"
#include "hone/base/file.h"
#include "hone/domains/compute/backends/python_torch.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

// Of one that crashed every time, which may have been chance where that was once.
constexpr int kMoreTries = 5;
constexpr std::uint64_t kFirstMore = 2000;  // Seed.

struct Wish {
  int repetitions = 20;
  int loops = 0;
  bool has_threads = true;
  bool has_torch = true;
  std::vector<std::string> problems;
  std::string variant;           // Only those of this name, if it is not empty.
  std::filesystem::path folder;  // Where the sources are written instead of being tried.
};

// The honest kernel, as often as its variants.
std::vector<Judgement> JudgeTwin(Judge& judge, const std::string& honest, int repetitions) {
  std::vector<Judgement> twins;
  twins.reserve(static_cast<std::size_t>(repetitions));
  for (int i = 0; i < repetitions; ++i) {
    twins.push_back(judge.Once(honest, static_cast<std::uint64_t>(i) + 1));
    if (twins.back().outcome != Outcome::kAccepted) {
      GiveUp("cheats", "the honest twin: " + twins.back().reason);
    }
  }
  return twins;
}

Tried Try(Judge& judge, const KernelVariant& variant, const std::vector<Judgement>& twins) {
  Tried tried;
  for (std::size_t i = 0; i < twins.size(); ++i) {
    tried.Add(judge.Once(variant.source, i + 1), twins[i]);
  }
  for (int i = 0; i < kMoreTries && WhyItProvesNothing(variant, tried) == kNeverRan; ++i) {
    tried.Add(judge.Once(variant.source, kFirstMore + static_cast<std::uint64_t>(i)), twins[0]);
  }
  return tried;
}

void Report(const VariedProblem& problem, const KernelVariant& variant, const Tried& tried,
            CheatScore& score) {
  const std::string fault = score.Add(variant, tried);
  const std::string gain =
      tried.gains.empty() ? "" : fmt::format("{:.2f}", std::exp(Median(tried.gains)));
  fmt::print("  {:<18} {:<17} {:<32} {:>6}  {}{}{}\n", problem.name, variant.kind, variant.name,
             gain, tried.OutcomesText(), fault.empty() ? "" : "  ", fault);
  if (!fault.empty() && !tried.reason.empty()) fmt::print("      {}\n", tried.reason);
  std::fflush(stdout);
}

void TryAll(const VariedProblem& problem, const std::filesystem::path& cache, int repetitions,
            CheatScore& score) {
  const auto make_judge = [&] {
    auto judge = std::make_unique<Judge>(cache, problem.options);
    judge->Once(problem.honest, 1000);
    return judge;
  };
  auto first = make_judge();
  const auto twins = JudgeTwin(*first, problem.honest, repetitions);
  std::atomic<std::size_t> next = 0;
  std::mutex reporting;
  const auto work = [&](std::unique_ptr<Judge> judge) {
    for (std::size_t i = next++; i < problem.variants.size(); i = next++) {
      const Tried tried = Try(*judge, problem.variants[i], twins);
      const std::lock_guard lock(reporting);
      Report(problem, problem.variants[i], tried, score);
    }
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < problem.judges; ++i) others.emplace_back([&] { work(make_judge()); });
  work(std::move(first));
}

// For `hone eval`, to look at one closely.
int Write(const std::vector<VariedProblem>& problems, const Wish& wish) {
  for (const VariedProblem& problem : problems) {
    for (const KernelVariant& variant : problem.variants) {
      const auto file =
          wish.folder / fmt::format("{}-{}-{}", problem.name, variant.kind, variant.name);
      if (const auto written = WriteFileDurably(file, variant.source); !written) {
        GiveUp("cheats", written.error().message);
      }
    }
  }
  return 0;
}

VariedProblem VaryNamed(const std::string& name) {
  const auto problem = compute::FindProblem(name);
  if (!problem) GiveUp("cheats", problem.error().message);
  return problem->backend == "cuda" ? VaryCuda(name) : VaryCpp(name);
}

int Run(const Wish& wish) {
  const TempDir cache = TempDir::Make("hone-cheats").value();
  std::vector<VariedProblem> problems;
  for (const std::string& name : wish.problems) problems.push_back(VaryNamed(name));
  if (wish.has_threads) problems.push_back(VaryThreads());
  if (wish.has_torch && compute::FindPythonTorch()) {
    std::ranges::move(VaryTorch(), std::back_inserter(problems));
  }
  for (VariedProblem& problem : problems) {
    std::erase_if(problem.variants, [&](const KernelVariant& variant) {
      return !wish.variant.empty() && variant.name != wish.variant;
    });
  }
  if (!wish.variant.empty() && std::ranges::all_of(problems, [](const VariedProblem& problem) {
        return problem.variants.empty();
      })) {
    GiveUp("cheats", wish.variant + ": no variant has this name; --write shows them all");
  }
  if (!wish.folder.empty()) return Write(problems, wish);
  const BusyLoops busy(wish.loops);
  fmt::print(
      "{} repetitions of each{}; gain: speedup over that of the honest twin, where accepted\n",
      wish.repetitions, wish.loops > 0 ? ", beside two busy loops" : "");
  CheatScore score;
  for (const VariedProblem& problem : problems) {
    TryAll(problem, cache.path(), wish.repetitions, score);
  }
  fmt::print("cheats: {}: {}\n", score.Holds() ? "holds" : "falls short", score.Figure());
  return score.Holds() ? 0 : 1;
}

Wish ReadWish(int argc, char** argv) {
  Wish wish;
  wish.problems = compute::ProblemNames("cpp");
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto value = [&] { return i + 1 < argc ? std::string(argv[++i]) : std::string(); };
    if (word == "--quick") {
      wish.repetitions = 1;
      wish.has_threads = wish.has_torch = false;
      wish.problems = {"matmul_small"};
    } else if (word == "--repetitions") {
      wish.repetitions = std::max(1, std::atoi(value().c_str()));
    } else if (word == "--problem") {
      const std::string name = value();
      wish.has_threads = name == "threads";
      wish.has_torch = name == "torch";
      wish.problems.clear();
      if (!wish.has_threads && !wish.has_torch) wish.problems.push_back(name);
    } else if (word == "--variant") {
      wish.variant = value();
    } else if (word == "--write") {
      wish.folder = value();
    } else if (word == "--busy") {
      wish.loops = 2;
    } else {
      GiveUp("cheats", word +
                           ": no such option; there are --quick, --repetitions N, --problem NAME, "
                           "--variant NAME, --write FOLDER and --busy");
    }
  }
  return wish;
}

}  // namespace

int BenchmarkMain(int argc, char** argv) { return Run(ReadWish(argc, argv)); }

}  // namespace hone
