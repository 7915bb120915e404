// SPDX-License-Identifier: Apache-2.0
// Our side of bench/validity. Answers are JSON, one a line.
//   validity_benchmark environment TREE ARCH            what the tree's own tool is to be called
//   with validity_benchmark bases TREE ARCH FOLDER           small.config, allyes.config,
//   allmod.config validity_benchmark draw TREE ARCH SEED FROM TO FOLDER
//       candidates of these numbers, made whole: FOLDER/NUMBER.config, unless they are refused
//   validity_benchmark boot TREE ARCH SEED COUNT [DONE…]
//       the first so many that are not refused, without what is protected, built and booted, the
//       cheapest next; all but those of the numbers that are done
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bench/benchmark_main.h"
#include "bench/validity_wishes.h"
#include "hone/base/cache_folder.h"
#include "hone/base/clock.h"
#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/base/process/find_program.h"
#include "hone/domains/kconfig/kernel_lab.h"
#include "hone/kconfig/conf/modes.h"
#include "hone/kconfig/files/config_file.h"
#include "hone/kconfig/files/kernel_environment.h"

namespace hone {
namespace {

using kernels::CompleteConfig;
using kernels::KernelOptions;
using Wishes = std::vector<kconfig::Wish>;

constexpr std::size_t kShownEvidence = 600;

[[noreturn]] void Die(const std::string& message) {
  fmt::print(stderr, "validity_benchmark: {}\n", message);
  std::exit(1);
}

template <typename T>
T Must(Result<T> result) {
  if (!result) Die(result.error().message);
  return std::move(*result);
}

void Must(const Result<void>& result) {
  if (!result) Die(result.error().message);
}

void Print(const Json& json) {
  fmt::print("{}\n", Dump(json));
  std::fflush(stdout);
}

// Only what reading its options needs: the folder may hold nothing else.
kernels::KernelSource OptionsSource(const std::string& tree, const std::string& arch) {
  kernels::KernelSource source;
  source.tree = tree;
  source.arch = Must(kernels::GuestArchNamed(arch));
  source.cross = kernels::CrossPrefix(source.arch);
  return source;
}

KernelOptions LoadSmall(const kernels::KernelSource& source) {
  return Must(KernelOptions::Load(source, {.cache = CacheFolder()}));
}

Json ToJson(const kconfig::Configuration& base, const Wishes& wishes) {
  Json json = Json::array();
  for (const kconfig::Wish& wish : wishes) {
    const bool is_visible = base.visibility(wish.symbol) != kconfig::Tristate::kNo;
    json.push_back({{"name", base.tree().symbol(wish.symbol).name},
                    {"value", wish.value},
                    {"kind", WishDrawer::KindOf(base.tree(), wish.symbol)},
                    {"is_visible", is_visible}});
  }
  return json;
}

void PrintEnvironment(const kernels::KernelSource& source) {
  const auto place = Must(kconfig::LocateTree(source.tree, source.arch.name));
  const auto load = kconfig::OptionsFor(
      place, {{"PATH", SearchPath()}, {"CROSS_COMPILE", source.cross}}, kconfig::ShellPolicy::kRun);
  Print(Json(load.environment));
}

void WriteBases(const kernels::KernelSource& source, const std::filesystem::path& folder) {
  const KernelOptions options = LoadSmall(source);
  Must(WriteFileAtomically(folder / "small.config", kconfig::WriteConfig(options.base())));
  for (const auto& [name, value] : {std::pair{"allyes.config", kconfig::Tristate::kYes},
                                    {"allmod.config", kconfig::Tristate::kModule}}) {
    kconfig::Configuration all(options.base().shared_tree());
    kconfig::SetAllNew(all, value);
    Must(WriteFileAtomically(folder / name, kconfig::WriteConfig(all)));
  }
}

void Draw(const kernels::KernelSource& source, std::uint64_t seed, std::uint64_t from,
          std::uint64_t to, const std::filesystem::path& folder) {
  const KernelOptions options = LoadSmall(source);
  const WishDrawer drawer(options.base(), {});
  for (std::uint64_t number = from; number < to; ++number) {
    const Wishes wishes = drawer.Draw(seed, number);
    const auto start = SystemClock().Now();
    const kernels::CompleteConfig complete = options.Complete(wishes);
    const std::chrono::duration<double, std::milli> took = SystemClock().Now() - start;
    Json json{{"number", number}, {"ms", took.count()}, {"wishes", ToJson(options.base(), wishes)}};
    if (complete.config.empty()) {
      json["came"] = complete.is_undecided ? "undecided" : "refused";
      json["reason"] = complete.reason;
    } else {
      json["came"] = "whole";
      Must(WriteFileAtomically(folder / fmt::format("{}.config", number), complete.config));
    }
    Print(json);
  }
}

// A candidate that waits to be built.
struct Waiting {
  std::uint64_t number = 0;
  Wishes wishes;
  std::string config;
};

// The first `count` that are not refused; those that are refused are told.
std::vector<Waiting> DrawToBuild(const KernelOptions& options, std::uint64_t seed,
                                 std::size_t count) {
  const WishDrawer drawer(options.base(), options.kept());
  std::vector<Waiting> waiting;
  for (std::uint64_t number = 0; waiting.size() < count; ++number) {
    Wishes wishes = drawer.Draw(seed, number);
    kernels::CompleteConfig complete =
        options.Complete(kconfig::SolveRequest{.wishes = wishes, .kept = options.kept()});
    if (!complete.config.empty()) {
      waiting.push_back({number, std::move(wishes), std::move(complete.config)});
    } else {
      Print({{"number", number},
             {"wishes", ToJson(options.base(), wishes)},
             {"outcome", NameOf(Outcome::kRejected)},
             {"reason", complete.reason}});
    }
  }
  return waiting;
}

std::string EndOf(const std::string& text) {
  return text.size() <= kShownEvidence ? text : text.substr(text.size() - kShownEvidence);
}

Json BuildAndBoot(const kernels::KernelLab& lab, const std::string& config) {
  const auto build = Must(lab.builder->Build({.config = config}));
  if (!build.kernel) {
    const Outcome outcome = build.is_config_other ? Outcome::kRejected
                            : build.is_late       ? Outcome::kTimedOut
                                                  : Outcome::kBuildFailed;
    return {{"outcome", NameOf(outcome)}, {"reason", build.reason}, {"end", EndOf(build.log)}};
  }
  kernels::MeasureOrder order = kernels::MeasureAll(lab, *build.kernel);
  order.workloads = {"syscall", "pipe"};
  const auto ran = Must(kernels::MeasureKernel(*lab.guest, order));
  Json json{{"outcome", NameOf(ran.outcome)}, {"reason", ran.reason}};
  json["build_s"] = std::chrono::duration<double>(build.kernel->took).count();
  json["objects"] = build.kernel->compiled;
  for (const Evidence& evidence : ran.evidence) json["end"] = EndOf(evidence.text);
  return json;
}

void Boot(const std::string& tree, const std::string& arch, std::uint64_t seed, std::size_t count,
          const std::set<std::uint64_t>& done) {
  const auto lab = Must(kernels::OpenKernelLab(tree, arch));
  const KernelOptions options = LoadSmall(lab.source);
  Must(lab.builder->Build({.config = kconfig::WriteConfig(options.base())}));  // To start from.
  std::vector<Waiting> waiting = DrawToBuild(options, seed, count);
  std::erase_if(waiting, [&](const Waiting& one) { return done.contains(one.number); });
  while (!waiting.empty()) {
    const auto price = [&](const Waiting& one) {
      return lab.builder->CostOf(one.config).value_or(std::numeric_limits<std::size_t>::max());
    };
    const auto next =
        std::min_element(waiting.begin(), waiting.end(),
                         [&](const Waiting& a, const Waiting& b) { return price(a) < price(b); });
    Json json = BuildAndBoot(lab, next->config);
    json["number"] = next->number;
    json["wishes"] = ToJson(options.base(), next->wishes);
    Print(json);
    waiting.erase(next);
  }
}

std::uint64_t NumberOf(const std::string& word) { return std::strtoull(word.c_str(), nullptr, 10); }

int Main(const std::vector<std::string>& words) {
  const std::string action = words.empty() ? "" : words[0];
  const std::size_t needed = action == "environment" ? 3
                             : action == "bases"     ? 4
                             : action == "draw"      ? 7
                                                     : 5;
  if (words.size() < needed) Die("usage: the comment at the beginning of validity_benchmark.cc");
  if (action == "boot") {
    std::set<std::uint64_t> done;
    for (std::size_t i = needed; i < words.size(); ++i) done.insert(NumberOf(words[i]));
    Boot(words[1], words[2], NumberOf(words[3]), NumberOf(words[4]), done);
    return 0;
  }
  const auto source = OptionsSource(words[1], words[2]);
  if (action == "environment") PrintEnvironment(source);
  if (action == "bases") WriteBases(source, words[3]);
  if (action == "draw") {
    Draw(source, NumberOf(words[3]), NumberOf(words[4]), NumberOf(words[5]), words[6]);
  }
  return 0;
}

}  // namespace

int BenchmarkMain(int argc, char** argv) { return Main({argv + 1, argv + argc}); }

}  // namespace hone
