// SPDX-License-Identifier: Apache-2.0
// All requests "switch this option to n" and "to y" on the x86_64 default configuration: each must
// be honoured by Solve or refused with a proof. Honoured ones are checked by evaluating the whole
// tree anew; refused ones against other configurations, which must never have the refused value.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/file.h"
#include "hone/core/rng.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/files/load.h"
#include "hone/kconfig/reason/solve.h"
#include "hone/kconfig/values/values.h"

namespace hone::kconfig {
namespace {

constexpr double kMaxMedianMs = 50;
constexpr std::size_t kQuickRequests = 500;

double Now(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

struct Request {
  SymbolId symbol;
  Tristate value;
  bool is_direct;  // Setting the symbol alone is enough.
};

struct Tally {
  std::size_t honoured = 0;
  std::size_t refused = 0;
  std::size_t undecided = 0;
  std::size_t wrong = 0;  // An answer that does not hold when the whole tree is evaluated.
  std::vector<double> honoured_ms;
  std::vector<double> refused_ms;
  std::vector<double> wall_ms;  // Of all; the others are processor time.
  std::map<std::size_t, std::size_t> by_settings;
  std::vector<Request> refusals;
};

Result<Configuration> LoadDefault(const std::string& folder) {
  const auto place = LocateTree(folder, "x86_64");
  if (!place) return place.error();
  const char* path = std::getenv("PATH");
  const Environment environment = {{"PATH", path == nullptr ? "/usr/bin:/bin" : path}};
  const LoadOptions options = OptionsFor(*place, environment, ShellPolicy::kRun);
  const auto tree = LoadTreeOrError(options);
  if (!tree) return tree.error();
  const auto text = ReadFile(place->root / "arch/x86/configs/x86_64_defconfig");
  if (!text) return text.error();
  Configuration configuration(*tree);
  LoadConfig(configuration, *text, {});
  return configuration;
}

std::vector<Request> RequestsOn(const TreeIndex& index, const Configuration& start) {
  std::vector<Request> requests;
  const Tree& tree = index.tree();
  for (SymbolId id = 0; id < tree.symbols().size(); ++id) {
    const Symbol& symbol = tree.symbol(id);
    if (!index.IsDefined(id) || symbol.is_choice || !IsLogical(symbol.type)) continue;
    if (!index.HasPrompt(id)) continue;
    for (const Tristate value : {Tristate::kNo, Tristate::kYes}) {
      if (start.value(id) == value) continue;
      requests.push_back({id, value, start.CanBe(id, value)});
    }
  }
  return requests;
}

// Sets everything, then evaluates every symbol: another way than the solver's own check.
bool HoldsAnew(const Configuration& start, const Solution& solution, const Request& request) {
  Configuration after = start;
  for (const Change& setting : solution.settings) {
    const Symbol& symbol = start.tree().symbol(setting.symbol);
    if (!IsLogical(symbol.type)) {
      after.AssignText(setting.symbol, setting.after);
      continue;
    }
    after.Assign(setting.symbol, *ReadTristate(setting.after));
    if (symbol.choice != kNone && setting.after == "y") {
      after.AssignSelection(symbol.choice, setting.symbol);
    }
  }
  after.Evaluate();
  return after.value(request.symbol) == request.value;
}

void Solve(const Solver& solver, const Configuration& start, const Request& request, Tally& tally) {
  const double wall_begin = Now(CLOCK_MONOTONIC);
  const double begin = Now(CLOCK_THREAD_CPUTIME_ID);
  const auto answer =
      solver.Solve(start, {.wishes = {{request.symbol, std::string(TextOf(request.value))}}});
  const double spent = Now(CLOCK_THREAD_CPUTIME_ID) - begin;
  tally.wall_ms.push_back(Now(CLOCK_MONOTONIC) - wall_begin);
  if (!answer) {
    ++tally.undecided;
    std::cout << fmt::format("undecided: {}={}: {}\n", start.tree().symbol(request.symbol).name,
                             TextOf(request.value), answer.error().message);
  } else if (answer->solutions.empty()) {
    ++tally.refused;
    if (answer->conflict.empty()) ++tally.wrong;
    tally.refused_ms.push_back(spent);
    tally.refusals.push_back(request);
  } else {
    ++tally.honoured;
    tally.honoured_ms.push_back(spent);
    const Solution& solution = answer->solutions.front();
    ++tally.by_settings[solution.settings.size()];
    if (!HoldsAnew(start, solution, request)) ++tally.wrong;
  }
}

// How many refused values some other configuration has after all.
std::size_t CountRefuted(const Configuration& start, const std::vector<Request>& refusals,
                         std::uint64_t random_count) {
  std::vector<Configuration> others;
  for (const Tristate value : {Tristate::kNo, Tristate::kModule, Tristate::kYes}) {
    others.emplace_back(start.shared_tree());
    SetAllNew(others.back(), value);
  }
  for (std::uint64_t seed = 0; seed < random_count; ++seed) {
    others.emplace_back(start.shared_tree());
    SetAllRandom(others.back(), {.seed = seed});
  }
  std::size_t refuted = 0;
  for (const Request& refusal : refusals) {
    refuted += std::any_of(others.begin(), others.end(), [&](const Configuration& other) {
      return other.value(refusal.symbol) == refusal.value;
    });
  }
  std::cout << fmt::format("refused values seen in {} other configurations: {}\n", others.size(),
                           refuted);
  return refuted;
}

double Quantile(std::vector<double> times, double share) {
  if (times.empty()) return 0;
  std::sort(times.begin(), times.end());
  const double at = share * static_cast<double>(times.size() - 1);
  return times[static_cast<std::size_t>(at)];
}

void PrintRow(std::string_view name, const std::vector<double>& times, std::size_t all) {
  std::cout << fmt::format("{:<24}{:>8}{:>8.1f} %{:>9.2f}{:>9.2f}{:>9.2f}\n", name, times.size(),
                           100.0 * static_cast<double>(times.size()) / static_cast<double>(all),
                           Quantile(times, 0.5), Quantile(times, 0.95), Quantile(times, 1));
}

int Report(const Tally& tally, std::size_t count, std::size_t direct, std::size_t refuted) {
  std::vector<double> all = tally.honoured_ms;
  all.insert(all.end(), tally.refused_ms.begin(), tally.refused_ms.end());
  std::cout << fmt::format("{:<24}{:>8}{:>10}{:>9}{:>9}{:>9}  (ms of processor time)\n", "requests",
                           "count", "share", "median", "p95", "longest");
  PrintRow("honoured", tally.honoured_ms, count);
  PrintRow("refused with a proof", tally.refused_ms, count);
  PrintRow("all", all, count);
  std::cout << fmt::format("setting the symbol alone is enough for {:.1f} %; settings needed:",
                           100.0 * static_cast<double>(direct) / static_cast<double>(count));
  for (const auto& [settings, times] : tally.by_settings) {
    std::cout << fmt::format(" {}: {}", settings, times);
  }
  std::cout << "\n";
  const double median = Quantile(tally.wall_ms, 0.5);
  std::cout << fmt::format("wall time, with what else runs here: median {:.2f} ms, p95 {:.2f} ms\n",
                           median, Quantile(tally.wall_ms, 0.95));
  if (tally.undecided + tally.wrong + refuted > 0) {
    std::cout << fmt::format(
        "kconfig_solve: falls short: {} undecided, {} wrong, {} refused though possible\n",
        tally.undecided, tally.wrong, refuted);
    return 1;
  }
  if (median >= kMaxMedianMs) {
    std::cout << fmt::format("kconfig_solve: falls short: median {:.1f} ms, not {} ms\n", median,
                             kMaxMedianMs);
    return 1;
  }
  std::cout << "kconfig_solve: holds\n";
  return 0;
}

int Main(const std::string& folder, bool is_quick) {
  const auto start = LoadDefault(folder);
  if (!start) {
    std::cout << "kconfig_solve: falls short: " << start.error().message << "\n";
    return 1;
  }
  const auto index = std::make_shared<const TreeIndex>(start->shared_tree());
  const Solver solver(index);
  std::vector<Request> requests = RequestsOn(*index, *start);
  const std::size_t all = requests.size();
  if (is_quick) {
    Rng(1).Shuffle(requests);
    requests.resize(std::min(requests.size(), kQuickRequests));
  }
  std::cout << fmt::format("{} of {} requests on x86_64_defconfig\n", requests.size(), all);
  Tally tally;
  std::size_t direct = 0;
  for (const Request& request : requests) {
    direct += request.is_direct ? 1 : 0;
    Solve(solver, *start, request, tally);
  }
  const std::size_t refuted = CountRefuted(*start, tally.refusals, is_quick ? 20 : 200);
  return Report(tally, requests.size(), direct, refuted);
}

}  // namespace
}  // namespace hone::kconfig

int main(int argc, char** argv) {
  const bool is_quick = argc == 3 && std::string_view(argv[2]) == "--quick";
  if (argc < 2 || (argc > 2 && !is_quick)) {
    std::cerr << "usage: kconfig_solve_benchmark TREE [--quick]\n";
    return 2;
  }
  return hone::kconfig::Main(argv[1], is_quick);
}
