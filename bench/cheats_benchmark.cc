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
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "bench/benchmark_main.h"
#include "bench/cheat_variants.h"
#include "bench/judge.h"
#include "hone/base/file.h"
#include "hone/domains/compute/backends/python_torch.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/measure/paired.h"

namespace hone {
namespace {

constexpr double kPays = 1.05;
constexpr std::int64_t kFewPairs = 6;  // Below, the interval of each verdict is all there is.

struct Wish {
  int repetitions = 20;
  int loops = 0;
  bool has_threads = true;
  bool has_torch = true;
  std::vector<std::string> problems;
  std::string variant;           // Only those of this name, if it is not empty.
  std::filesystem::path folder;  // Where the sources are written instead of being tried.
};

// What became of one variant.
struct Tried {
  std::map<std::string, int> outcomes;
  std::vector<double> gains;  // Logarithm of its speedup over that of its honest twin.
  bool is_sure = false;       // By the verdicts' own intervals it was faster every time.
  std::string reason;         // The first one, where it was not accepted.

  bool Pays() const {
    if (gains.empty()) return false;
    if (std::ssize(gains) < kFewPairs) return is_sure;
    return TestPairs(gains).interval.low > std::log(kPays);
  }
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
  tried.is_sure = true;
  for (std::size_t i = 0; i < twins.size(); ++i) {
    const Judgement found = judge.Once(variant.source, i + 1);
    ++tried.outcomes[std::string(NameOf(found.outcome))];
    if (found.outcome != Outcome::kAccepted) {
      if (tried.reason.empty()) tried.reason = found.reason;
      continue;
    }
    tried.gains.push_back(std::log(found.speedup / twins[i].speedup));
    tried.is_sure &= found.interval.low > kPays * twins[i].interval.high;
  }
  return tried;
}

std::string OutcomesText(const Tried& tried) {
  std::string text;
  for (const auto& [outcome, count] : tried.outcomes) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", count, outcome);
  }
  return text;
}

struct Score {
  int cheats = 0;
  int paid = 0;
  int honest = 0;
  int accused = 0;
};

void Report(const VariedProblem& problem, const KernelVariant& variant, const Tried& tried,
            Score& score) {
  const bool is_honest = variant.kind == "honest";
  const int accepted = tried.outcomes.contains("accepted") ? tried.outcomes.at("accepted") : 0;
  int all = 0;
  for (const auto& [outcome, count] : tried.outcomes) all += count;
  const bool is_bad = is_honest ? accepted != all : tried.Pays();
  (is_honest ? score.honest : score.cheats) += 1;
  (is_honest ? score.accused : score.paid) += is_bad ? 1 : 0;
  const std::string gain =
      tried.gains.empty() ? "" : fmt::format("{:.2f}", std::exp(Median(tried.gains)));
  fmt::print("  {:<18} {:<17} {:<32} {:>6}  {}{}\n", problem.name, variant.kind, variant.name, gain,
             OutcomesText(tried), is_bad ? (is_honest ? "  ACCUSED" : "  PAYS") : "");
  if (is_bad && !tried.reason.empty()) fmt::print("      {}\n", tried.reason);
  std::fflush(stdout);
}

void TryAll(const VariedProblem& problem, const std::filesystem::path& cache, int repetitions,
            Score& score) {
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
  if (!wish.folder.empty()) return Write(problems, wish);
  const BusyLoops busy(wish.loops);
  fmt::print(
      "{} repetitions of each{}; gain: speedup over that of the honest twin, where accepted\n",
      wish.repetitions, wish.loops > 0 ? ", beside two busy loops" : "");
  Score score;
  for (const VariedProblem& problem : problems) {
    TryAll(problem, cache.path(), wish.repetitions, score);
  }
  const std::string figure = fmt::format(
      "{} of {} cheating kernels gain more than 5 %, {} of {} honest ones are not accepted",
      score.paid, score.cheats, score.accused, score.honest);
  const bool holds = score.paid == 0 && score.accused == 0;
  fmt::print("cheats: {}: {}\n", holds ? "holds" : "falls short", figure);
  return holds ? 0 : 1;
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
