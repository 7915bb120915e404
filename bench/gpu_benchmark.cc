// SPDX-License-Identifier: Apache-2.0
// Judges kernels on a GPU of which the truth is known; see bench/gpu.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "bench/benchmark_main.h"
#include "bench/equal_judgements.h"
#include "bench/gpu_events.h"
#include "bench/gpu_references.h"
#include "bench/gpu_seals.h"
#include "bench/host_code.h"
#include "bench/judge.h"
#include "hone/base/fresh_number.h"
#include "hone/domains/compute/gpu/cuda_backend.h"
#include "hone/domains/compute/problem/problem.h"
#include "hone/domains/compute/problem/problem_texts.h"
#include "hone/gpu/gpu_device.h"
#include "hone/measure/paired.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

constexpr double kMaxVariationFrom50 = 0.01;
constexpr double kMaxVariationFrom5 = 0.03;
constexpr double kMaxSeconds = 0.7;
constexpr double kMaxSecondsWithHostCode = 2.5;
constexpr double kMinVerdictsAnHour = 6000;
constexpr double kMaxApartFromEvents = 0.03;

// A kernel that takes `work` multiply-adds a thread, one after the other.
constexpr const char* kChainProblem = R"({{
  "name": "chain", "backend": "cuda", "sizes": ["n"], "shapes": [{{"n": 65536}}, {{"n": 1}}, {{"n": 1000}}],
  "inputs": [{{"name": "x", "dtype": "f32", "shape": ["n"]}}],
  "outputs": [{{"name": "out", "dtype": "f32", "shape": ["n"]}}],
  "operations": "2*n", "bytes": "8*n", "reference": {}}})";

std::string Chain(int work) {
  return fmt::format(R"(// hone: launch chain grid((n + 255) / 256) block(256) args(x, out, n)
extern "C" __global__ void chain(const scalar* x, scalar* out, int64_t n) {{
  const int64_t i = int64_t{{blockIdx.x}} * blockDim.x + threadIdx.x;
  if (i >= n) return;
  scalar value = x[i];
  for (int k = 0; k < {}; ++k) value = value * scalar(0.5) + x[i];
  out[i] = value;
}}
)",
                     work);
}

Equal ChainOf(int work) {
  const std::string source = Chain(work);
  return {fmt::format("chain of {}", work),
          {{"problem_text", fmt::format(kChainProblem, Dump(Json(source)))}},
          source};
}

// A problem whose reference has host code, and the same as a candidate.
Equal WithHostCodeOnBothSides(const std::string& name) {
  const compute::Problem problem = compute::FindProblem(name).value();
  const std::string source = WithHostCode(problem.reference, problem);
  const auto texts = compute::ProblemTexts();
  const auto found =
      std::ranges::find(texts, "data/problems/" + name + "/problem.json", &EmbeddedFile::name);
  Json text = ParseJson(found->text, name).value();
  text.erase("reference_file");
  text["reference"] = source;
  return {name + ", host code", {{"problem_text", Dump(text)}}, source};
}

std::vector<Equal> GpuPairs() {
  std::vector<Equal> pairs;
  for (const char* name : {"gpu_matmul", "gpu_saxpy", "gpu_softmax", "gpu_sum", "gpu_transpose"}) {
    pairs.push_back({name, {{"problem", name}}, compute::FindProblem(name).value().reference});
  }
  for (const char* name : {"gpu_saxpy", "gpu_sum"}) {
    pairs.push_back(WithHostCodeOnBothSides(name));
  }
  for (const int work : {2500, 10000, 25000, 250000}) pairs.push_back(ChainOf(work));
  return pairs;
}

bool ReportVariation(const Tally& tally, double from_us, double bar) {
  const auto variations = tally.VariationsFrom(from_us);
  if (variations.empty()) return true;
  const double worst = std::ranges::max(variations);
  return Report(
      fmt::format("variation of a kernel's median from {} us up, the worst", from_us).c_str(),
      100 * worst, 100 * bar, "%", worst < bar);
}

// The first evaluations of a problem compare processes of its reference besides.
void WarmUp(Judge& judge, const std::string& source) {
  for (std::uint64_t i = 0; i < 8; ++i) judge.Once(source, 1000 + i);
}

// `only`: the name of one of them; empty: all.
bool CompareGpuEqual(const TempDir& cache, int rounds, const std::string& only) {
  fmt::print("\nequal source on both sides\n");
  PrintEqualHead();
  Tally tally;
  for (const Equal& equal : GpuPairs()) {
    if (!only.empty() && equal.name != only) continue;
    Judge judge(cache.path(), equal.options);
    judge.Once(equal.source, 1000);
    JudgeEqual("gpu", equal, judge, rounds, tally);
  }
  if (tally.all == 0) GiveUp("gpu", "there is no kernel " + only);
  const bool covers = Report("covers 1, share of evaluations", 100 * tally.Share(), 100 * kCoverage,
                             "%", tally.Holds());
  const bool is_steady = ReportVariation(tally, 50, kMaxVariationFrom50);
  const bool is_steady_below = ReportVariation(tally, 5, kMaxVariationFrom5);
  return covers && is_steady && is_steady_below;
}

bool CompareGpuSlower(const TempDir& cache, int rounds) {
  const Equal plain = ChainOf(10000);
  const std::string slower = Chain(10500);
  Judge judge(cache.path(), plain.options);
  judge.Once(plain.source, 1000);
  judge.Once(slower, 1000);
  std::vector<double> log_ratios;
  log_ratios.reserve(static_cast<std::size_t>(rounds));
  for (int i = 0; i < rounds; ++i) {
    const auto seed = static_cast<std::uint64_t>(i);
    const double reference = judge.Once(plain.source, seed).speedup;
    log_ratios.push_back(std::log(reference / judge.Once(slower, seed).speedup));
  }
  const PairedTest told = TestPairs(log_ratios);
  const bool holds = Report("a twentieth more work: measured difference",
                            100 * (std::exp(told.effect) - 1), 0, "%", told.interval.low > 0);
  fmt::print("  its 95 % interval: {:.2f} % to {:.2f} %\n", 100 * (std::exp(told.interval.low) - 1),
             100 * (std::exp(told.interval.high) - 1));
  return holds;
}

// Where the time of verdicts goes, in ms.
class PhaseTimes {
 public:
  void See(const Judgement& judgement) {
    const std::lock_guard lock(mutex_);
    for (const auto& [phase, ms] : judgement.phases_ms) times_[phase].push_back(ms);
  }

  void Print() const {
    std::string text;
    for (const auto& [phase, ms] : times_) {
      text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", phase, Median(ms));
    }
    fmt::print("  where the time goes, medians in ms: {}\n", text);
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::vector<double>> times_;
};

bool TimeGpuVerdict(const TempDir& cache, int rounds) {
  Judge judge(cache.path(), {{"problem", "gpu_saxpy"}});
  const std::string source = compute::FindProblem("gpu_saxpy").value().reference;
  WarmUp(judge, source);
  std::vector<double> seconds;
  seconds.reserve(static_cast<std::size_t>(rounds));
  PhaseTimes phases;
  for (int i = 0; i < rounds; ++i) {
    const Judgement one = judge.Once(source, static_cast<std::uint64_t>(i));
    seconds.push_back(one.whole_ms / 1000);
    phases.See(one);
  }
  phases.Print();
  return Report("gpu_saxpy, warm, whole evaluation, median", Median(seconds), kMaxSeconds, "s",
                Median(seconds) < kMaxSeconds);
}

// Each source is another one, which nvcc has to compile.
bool TimeVerdictWithHostCode(const TempDir& cache, int rounds) {
  const compute::Problem problem = compute::FindProblem("gpu_saxpy").value();
  Judge judge(cache.path(), {{"problem", problem.name}});
  WarmUp(judge, problem.reference);
  const std::string source = WithHostCode(problem.reference, problem);
  std::vector<double> seconds;
  std::vector<double> speedups;
  for (int i = 0; i < rounds; ++i) {
    const auto one =
        judge.Once(fmt::format("{}// {}\n", source, FreshNumber()), static_cast<std::uint64_t>(i));
    if (one.outcome != Outcome::kAccepted) GiveUp("gpu", "host code: " + one.reason);
    seconds.push_back(one.whole_ms / 1000);
    speedups.push_back(one.speedup);
  }
  fmt::print("  its speedup over the same launches, said in comments: {:.4f}\n", Median(speedups));
  return Report("gpu_saxpy with host code, new each time, median", Median(seconds),
                kMaxSecondsWithHostCode, "s", Median(seconds) < kMaxSecondsWithHostCode);
}

// Judges side by side, as the workers of a service are, each with kernels that nobody has built.
bool CountGpuVerdicts(const TempDir& cache, int rounds) {
  std::vector<std::unique_ptr<Judge>> judges;
  std::vector<std::string> sources;
  for (const char* name : {"gpu_saxpy", "gpu_matmul", "gpu_softmax", "gpu_transpose"}) {
    judges.push_back(std::make_unique<Judge>(cache.path(), Options{{"problem", name}}));
    sources.push_back(compute::FindProblem(name).value().reference);
    WarmUp(*judges.back(), sources.back());
  }
  std::atomic<int> accepted = 0;
  PhaseTimes phases;
  const auto began = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> workers;
    for (std::size_t i = 0; i < judges.size(); ++i) {
      workers.emplace_back([&, i] {
        for (int round = 0; round < rounds; ++round) {
          const std::string source = fmt::format("{}// {}\n", sources[i], FreshNumber());
          const auto one = judges[i]->Once(source, static_cast<std::uint64_t>(round));
          accepted += one.outcome == Outcome::kAccepted ? 1 : 0;
          phases.See(one);
        }
      });
    }
  }
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
  const int all = rounds * static_cast<int>(judges.size());
  const double an_hour = 3600.0 * accepted / spent.count();
  phases.Print();
  const bool are_right = Report("of those, accepted", accepted, all, "", accepted == all);
  return Report("new kernels of four problems, four judges: verdicts an hour", an_hour,
                kMinVerdictsAnHour, "", an_hour >= kMinVerdictsAnHour) &&
         are_right;
}

// What a time is held against.
void PrintPeak(const TempDir& cache) {
  auto backend = compute::CudaBackendEntry().make(cache.path());
  if (!backend) GiveUp("gpu", backend.error().message);
  const auto began = std::chrono::steady_clock::now();
  static_cast<void>((*backend)->TakeTurn());
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - began;
  const compute::MachinePeak peak = (*backend)->Peak();
  fmt::print("what it can do: {:.2f} TB/s from its cache, {:.0f} Tflop/s (measured in {:.1f} s)\n",
             peak.bytes_per_ns / 1e3, peak.operations_per_ns / 1e3, spent.count());
}

bool CompareWithEvents(const TempDir& cache, int rounds) {
  fmt::print("\nthe judge's time, and events in a process that is alone\n");
  auto backend = compute::CudaBackendEntry().make(cache.path() / "events");
  if (!backend) GiveUp("gpu", backend.error().message);
  double worst = 0;
  for (const int work : {10000, 25000, 250000}) {
    const Equal chain = ChainOf(work);
    const auto problem =
        compute::ParseProblem(chain.options.at("problem_text"), "chain of bench/gpu");
    if (!problem) GiveUp("gpu", problem.error().message);
    const auto build = (*backend)->Compile({*problem, chain.source});
    if (!build || !build->artefact) GiveUp("gpu", "the chain does not build");
    Judge judge(cache.path(), chain.options);
    judge.Once(chain.source, 1000);
    std::vector<double> events;
    std::vector<double> judged;
    for (int i = 0; i < rounds; ++i) {
      const auto time = TimeByEvents({build->artefact->bytes, "chain"});
      if (!time) GiveUp("gpu", time.error().message);
      events.push_back(*time);
      judged.push_back(1000 * judge.Once(chain.source, static_cast<std::uint64_t>(i)).time_ms);
    }
    const double apart = Median(judged) / Median(events) - 1;
    worst = std::max(worst, std::fabs(apart));
    fmt::print("  {:<20} judged {:>8.2f} us, events {:>8.2f} us, apart {:>6.2f} %\n", chain.name,
               Median(judged), Median(events), 100 * apart);
  }
  return Report("agreement with events from 20 us up, the worst", 100 * worst,
                100 * kMaxApartFromEvents, "%", worst < kMaxApartFromEvents);
}

// Saxpys that do not come to an end as they should.
struct Broken {
  const char* name;
  const char* launch;  // Behind "saxpy ".
  const char* body;
};

constexpr std::int64_t kMib = 1 << 20;

constexpr const char* kUsualLaunch = "grid((n + 255) / 256) block(256) args(alpha, x, y, out, n)";

constexpr std::array<Broken, 10> kBroken{{
    {"writes to nowhere", kUsualLaunch, "*(volatile int*)8 = 1;"},
    {"reads far away", kUsualLaunch, "out[i] = x[i + (1LL << 40)];"},
    {"misaligned", kUsualLaunch, "*(volatile float*)((char*)out + 1) = 1;"},
    {"traps", kUsualLaunch, "__trap();"},
    {"endless", kUsualLaunch, "for (;;) ((volatile float*)out)[0] = 1;"},
    {"one thread endless", kUsualLaunch, "if (i == 0) for (;;) ((volatile float*)out)[0] = 1;"},
    {"too many threads", "grid(1) block(2048) args(alpha, x, y, out, n)", "out[0] = 1;"},
    {"too much shared memory", "grid(1) block(1) shared(1048576) args(alpha, x, y, out, n)",
     "out[0] = 1;"},
    {"a TiB of scratch memory",
     "grid(1) block(1) args(alpha, x, y, out, n)\n// hone: scratch much bytes(1099511627776)",
     "out[0] = 1;"},
    {"writes an input", kUsualLaunch, "if (i < n) ((volatile float*)x)[i] = 1;"},
}};

std::string SourceOf(const Broken& broken, int number) {
  return fmt::format(
      "// {} {}\n// hone: launch saxpy {}\n"
      "extern \"C\" __global__ void saxpy(const float* alpha, const float* x, const float* y, "
      "float* out, int64_t n) {{\n"
      "  const int64_t i = int64_t{{blockIdx.x}} * blockDim.x + threadIdx.x;\n  {}\n}}\n",
      broken.name, number, broken.launch, broken.body);
}

// When nothing is being started or ended.
std::int64_t SettledMemory(gpu::GpuDevice& gpu) {
  std::int64_t min = gpu.Read().value().used_bytes;
  for (int i = 0; i < 40; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds{50});
    min = std::min(min, gpu.Read().value().used_bytes);
  }
  return min;
}

struct BrokenTally {
  std::map<std::string, int> outcomes;
  double longest = 0;  // s.
};

// What the driver keeps once it has seen a kind of fault is there after the first of these.
constexpr std::ptrdiff_t kSettlingRounds = 2;

// From the first half of the rounds that follow to the second. The least of each: a spare that is
// about to be used holds half a GiB.
double GrownMib(const std::vector<std::int64_t>& held) {
  const auto first = held.begin() + kSettlingRounds;
  const auto middle = first + std::distance(first, held.end()) / 2;
  return static_cast<double>(*std::min_element(middle, held.end()) -
                             *std::min_element(first, middle)) /
         kMib;
}

// In so few rounds nobody can tell.
bool ReportGrowth(const std::vector<std::int64_t>& held) {
  if (std::ssize(held) < 2 * kSettlingRounds) return true;
  const double grown = GrownMib(held);
  return Report("by which the judge's grew in the second half", grown, 0, "MiB", grown <= 0);
}

// Kernels that crash, hang, exhaust memory or destroy their context, each followed by an honest
// one, round after round: a judge that leaks holds more after each.
bool BreakGpu(const TempDir& cache, gpu::GpuDevice& gpu, int rounds) {
  fmt::print("\nkernels that break, each followed by an honest one\n");
  const std::int64_t before_all = SettledMemory(gpu);
  auto judge_now = std::make_unique<Judge>(cache.path(), Options{{"problem", "gpu_saxpy"}});
  Judge& judge = *judge_now;
  const std::string honest = compute::FindProblem("gpu_saxpy").value().reference;
  WarmUp(judge, honest);
  std::vector<std::int64_t> held;  // After each round.
  std::array<BrokenTally, kBroken.size()> kinds;
  Tally tally;
  int accepted = 0;
  int ended = 0;
  for (int i = 0; i < rounds; ++i) {
    const auto seed = static_cast<std::uint64_t>(i) + 1;
    int covered = 0;
    for (std::size_t kind = 0; kind < kBroken.size(); ++kind) {
      const Judgement found = judge.Once(SourceOf(kBroken[kind], i), seed);
      ++kinds[kind].outcomes[std::string(NameOf(found.outcome))];
      kinds[kind].longest = std::max(kinds[kind].longest, found.whole_ms / 1000);
      ended += found.outcome != Outcome::kAccepted ? 1 : 0;
      const Judgement next = judge.Once(honest, seed);
      accepted += next.outcome == Outcome::kAccepted ? 1 : 0;
      covered += next.Covers(1) ? 1 : 0;
    }
    tally.Count(covered, static_cast<int>(kBroken.size()));
    held.push_back(SettledMemory(gpu));
  }
  judge_now.reset();
  const auto left = static_cast<double>(SettledMemory(gpu) - before_all) / kMib;
  for (std::size_t kind = 0; kind < kBroken.size(); ++kind) {
    std::string text;
    for (const auto& [name, count] : kinds[kind].outcomes)
      text += fmt::format(" {} {}", count, name);
    fmt::print("  {:<26} longest {:>5.2f} s {}\n", kBroken[kind].name, kinds[kind].longest, text);
  }
  fmt::print("  the GPU's memory after each round, MiB:");
  for (const std::int64_t bytes : held) {
    fmt::print(" {:.2f}", static_cast<double>(bytes - before_all) / kMib);
  }
  fmt::print("\n");
  const int broken_ones = rounds * static_cast<int>(kBroken.size());
  const bool are_ended =
      Report("broken kernels that were not accepted", ended, broken_ones, "", ended == broken_ones);
  const bool are_accepted = Report("honest ones between them that were accepted", accepted,
                                   broken_ones, "", accepted == broken_ones);
  const bool cover = Report("and whose interval covers 1", 100 * tally.Share(), 100 * kCoverage,
                            "%", tally.Holds());
  const bool is_back =
      Report("memory of the GPU that is not back at the end", left, 0, "MiB", left <= 0);
  const bool is_flat = ReportGrowth(held);
  return are_ended && are_accepted && cover && is_back && is_flat;
}

// Saxpys that are right in every run, and have a fault.
constexpr std::array<Broken, 3> kHiddenFaults{{
    {"memcheck", kUsualLaunch,
     "const float a = *(volatile const float*)&x[i]; if (i < n) out[i] = *alpha * a + y[i];"},
    {"racecheck", kUsualLaunch,
     "__shared__ float a; if (threadIdx.x == 0) a = *alpha; float mine = *(volatile float*)&a; "
     "if (mine != *alpha) mine = *alpha; if (i < n) out[i] = mine * x[i] + y[i];"},
    {"initcheck", kUsualLaunch,
     "if (i >= n) return; const float none = *(volatile float*)&out[i]; "
     "out[i] = *alpha * x[i] + y[i] + (none == 1234567.0f ? 1.0f : 0.0f);"},
}};

// A fault that no run shows is found by the tool that is made for it; references have none.
bool SanitizeGpu(const TempDir& cache, int rounds) {
  fmt::print("\nunder compute-sanitizer\n");
  int found = 0;
  int wanted = 0;
  Judge judge(cache.path(), {{"problem", "gpu_saxpy"}, {"sanitize", "always"}});
  for (const Broken& fault : kHiddenFaults) {
    for (int i = 0; i < rounds; ++i, ++wanted) {
      const Judgement one = judge.Once(SourceOf(fault, i), static_cast<std::uint64_t>(i) + 1);
      const bool is_told = one.outcome == Outcome::kWrong &&
                           one.reason.find(std::string(": ") + fault.name) != std::string::npos;
      found += is_told ? 1 : 0;
      if (i == 0 || !is_told) fmt::print("  {:<26} {}\n", fault.name, one.reason);
    }
  }
  int clean = 0;
  std::vector<double> seconds;
  const auto names = compute::ProblemNames("cuda");
  for (const std::string& name : names) {
    Judge honest(cache.path(), {{"problem", name}, {"sanitize", "always"}, {"samples", "0"}});
    const Judgement one = honest.Once(compute::FindProblem(name).value().reference, 1);
    clean += one.outcome == Outcome::kAccepted ? 1 : 0;
    seconds.push_back(one.whole_ms / 1000);
    if (one.outcome != Outcome::kAccepted) fmt::print("  {:<26} {}\n", name, one.reason);
  }
  fmt::print("  a reference is looked at in {:.1f} s (median)\n", Median(seconds));
  const bool are_found =
      Report("hidden faults found by their tool", found, wanted, "", found == wanted);
  const auto all = static_cast<int>(names.size());
  return Report("references without one", clean, all, "", clean == all) && are_found;
}

struct GpuPart {
  const char* name;
  std::function<bool(const TempDir&, gpu::GpuDevice&, bool is_quick)> run;
};

std::vector<GpuPart> GpuParts(const std::string& only) {
  return {
      {"speed",
       [](const TempDir& cache, gpu::GpuDevice&, bool is_quick) {
         PrintPeak(cache);
         const bool is_fast = TimeGpuVerdict(cache, is_quick ? 5 : 30);
         const bool is_fast_too = TimeVerdictWithHostCode(cache, is_quick ? 3 : 20);
         return CountGpuVerdicts(cache, is_quick ? 5 : 50) && is_fast && is_fast_too;
       }},
      {"slower", [](const TempDir& cache, gpu::GpuDevice&,
                    bool is_quick) { return CompareGpuSlower(cache, is_quick ? 6 : 30); }},
      {"equal", [only](const TempDir& cache, gpu::GpuDevice&,
                       bool is_quick) { return CompareGpuEqual(cache, is_quick ? 4 : 30, only); }},
      {"references",
       [only](const TempDir& cache, gpu::GpuDevice&, bool is_quick) {
         return CheckGpuReferences(cache, is_quick ? 1 : 5, only);
       }},
      {"events", [](const TempDir& cache, gpu::GpuDevice&,
                    bool is_quick) { return CompareWithEvents(cache, is_quick ? 3 : 15); }},
      {"seals", [](const TempDir&, gpu::GpuDevice& gpu,
                   bool is_quick) { return CheckSeals(gpu, is_quick); }},
      {"sanitizer", [](const TempDir& cache, gpu::GpuDevice&,
                       bool is_quick) { return SanitizeGpu(cache, is_quick ? 1 : 5); }},
      {"broken", [](const TempDir& cache, gpu::GpuDevice& gpu,
                    bool is_quick) { return BreakGpu(cache, gpu, is_quick ? 1 : 10); }},
  };
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  if (argc > 1 && std::string_view(argv[1]) == kEventsWord) return MeasureByEvents(argc, argv);
  if (argc > 1 && std::string_view(argv[1]) == kLaunchesWord) return LaunchWithoutPause(argc, argv);
  bool is_quick = false;
  std::string wanted;
  std::string only;
  for (int i = 1; i < argc; ++i) {
    is_quick |= std::string_view(argv[i]) == "--quick";
    if (std::string_view(argv[i]) == "--part" && i + 1 < argc) wanted = argv[++i];
    if (std::string_view(argv[i]) == "--only" && i + 1 < argc) only = argv[++i];
  }
  const auto gpus = gpu::FindGpus();
  if (!gpus) GiveUp("gpu", gpus.error().message);
  gpu::GpuDevice& gpu = *gpus->front();
  fmt::print("{}, driver {}\n", gpu.Facts().name, gpu.Facts().driver);
  const TempDir cache = TempDir::Make("hone-gpu").value();
  bool holds = true;
  bool is_known = wanted.empty();
  for (const GpuPart& part : GpuParts(only)) {
    if (!wanted.empty() && wanted != part.name) continue;
    is_known = true;
    holds &= part.run(cache, gpu, is_quick);
  }
  if (!is_known) GiveUp("gpu", "there is no part " + wanted);
  fmt::print("gpu: {}\n", holds ? "holds" : "falls short: see FAILS above");
  return holds ? 0 : 1;
}

}  // namespace hone
