// SPDX-License-Identifier: Apache-2.0
#include "bench/gpu_seals.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "bench/benchmark_main.h"
#include "bench/equal_judgements.h"
#include "bench/judge.h"
#include "hone/base/process/subprocess.h"
#include "hone/core/rng.h"
#include "hone/gpu/cuda_driver.h"
#include "hone/measure/statistics.h"

namespace hone {
namespace {

using std::chrono::duration_cast;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

constexpr nanoseconds kLongHold = std::chrono::milliseconds{20};
constexpr int kLongEvery = 10;
constexpr const char* kEmptyLaunch =
    ".version 7.0\n.target sm_50\n.address_size 64\n.visible .entry nothing() { ret; }\n";

struct Stretch {
  std::int64_t begin = 0;
  std::int64_t end = 0;
};

struct Hold : Stretch {
  std::int64_t wait = 0;  // Until it was ours.
  bool is_whole = false;  // The GPU was never given to others.
};

std::int64_t NowInNs() {
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

void Spin(std::int64_t until) {
  while (NowInNs() < until) {
  }
}

Hold HoldFor(gpu::GpuDevice& gpu, nanoseconds time) {
  Hold hold;
  const std::int64_t asked = NowInNs();
  if (!gpu.BeginTaking()) GiveUp("gpu", "the GPU cannot be taken");
  while (!gpu.IsTaken()) {
  }
  hold.begin = NowInNs();
  hold.wait = hold.begin - asked;
  Spin(hold.begin + time.count());
  hold.end = NowInNs();
  gpu.LetGo();
  const auto gap = gpu.LongestGap();
  if (!gap) GiveUp("gpu", gap.error().message);
  hold.is_whole = *gap < gpu::kMaxGapOfHold;
  return hold;
}

std::vector<Stretch> ReadLaunches(const std::string& text) {
  std::vector<Stretch> launches;
  std::istringstream lines(text);
  for (Stretch launch; lines >> launch.begin >> launch.end;) launches.push_back(launch);
  return launches;
}

// Launches that lie inside.
std::int64_t CountInside(const std::vector<Stretch>& launches, const Stretch& stretch) {
  const auto first = std::ranges::lower_bound(launches, stretch.begin, {}, &Stretch::begin);
  const auto is_inside = [&](const Stretch& launch) { return launch.end <= stretch.end; };
  return std::distance(first, std::find_if_not(first, launches.end(), is_inside));
}

struct SealTally {
  std::int64_t whole = 0;
  std::int64_t interrupted = 0;
  std::int64_t inside = 0;
  std::int64_t inside_unheld = 0;
  std::vector<double> waits;
};

SealTally Count(const std::vector<Hold>& holds, const std::vector<Stretch>& launches) {
  SealTally tally;
  for (const Hold& hold : holds) {
    ++(hold.is_whole ? tally.whole : tally.interrupted);
    tally.waits.push_back(static_cast<double>(hold.wait) / 1000);
    if (hold.is_whole) tally.inside += CountInside(launches, hold);
    const std::int64_t after = hold.end + (hold.end - hold.begin);  // In as long, right behind it.
    tally.inside_unheld += CountInside(launches, {hold.end, after});
  }
  return tally;
}

}  // namespace

int LaunchWithoutPause(int count, char** words) {
  if (count != 3) return 2;
  const std::int64_t end = NowInNs() + std::atoll(words[2]) * 1'000'000;
  auto context = gpu::CudaContext::Make(0);
  if (!context) GiveUp("gpu", context.error().message);
  std::vector<Stretch> launches;
  const auto done = (*context)->Do("launching", [&] {
    const gpu::CudaCalls& cuda = (*context)->cuda();
    gpu::CuModule module = nullptr;
    gpu::CuFunction nothing = nullptr;
    if (const int error = cuda.load_module(&module, kEmptyLaunch)) return error;
    if (const int error = cuda.find_function(&nothing, module, "nothing")) return error;
    while (NowInNs() < end) {
      const std::int64_t begin = NowInNs();
      if (const int error =
              cuda.launch(nothing, 1, 1, 1, 1, 1, 1, 0, (*context)->stream(), nullptr, nullptr)) {
        return error;
      }
      if (const int error = cuda.await_stream((*context)->stream())) return error;
      launches.push_back({begin, NowInNs()});
    }
    return gpu::kCuSuccess;
  });
  if (!done) GiveUp("gpu", done.error().message);
  std::string text;
  for (const Stretch& launch : launches) text += fmt::format("{} {}\n", launch.begin, launch.end);
  fmt::print("{}", text);
  return 0;
}

bool CheckSeals(gpu::GpuDevice& gpu, bool is_quick) {
  const int ms = is_quick ? 3'000 : 20'000;
  Command command;
  command.arguments = {std::filesystem::read_symlink("/proc/self/exe").native(), kLaunchesWord,
                       std::to_string(ms)};
  command.limit = std::chrono::milliseconds{ms + 20'000};
  command.max_output = std::size_t{512} << 20;
  Result<ProcessResult> other = Error{Errc::kUnavailable, "it was not started"};
  std::jthread launching([&] { other = RunProcess(command); });
  std::vector<Hold> holds;
  Rng rng(1);
  const std::int64_t end = NowInNs() + std::int64_t{ms} * 1'000'000;
  while (NowInNs() < end) {
    const bool is_long = holds.size() % kLongEvery == kLongEvery - 1;
    const auto us = static_cast<std::int64_t>(200 + 1'800 * rng.Uniform());
    holds.push_back(HoldFor(gpu, is_long ? kLongHold : std::chrono::microseconds{us}));
    Spin(holds.back().end + (holds.back().end - holds.back().begin) + us * 1'000);
  }
  launching.join();
  if (!other) GiveUp("gpu", other.error().message);
  const SealTally tally = Count(holds, ReadLaunches(other->output));
  fmt::print("  another process launches without pause; {} holds, taken after {:.0f} us (median)\n",
             holds.size(), Median(tally.waits));
  fmt::print("  interrupted by it, and known to be: {}\n", tally.interrupted);
  Report("launches in as long without a hold", static_cast<double>(tally.inside_unheld), 100, "",
         tally.inside_unheld >= 100);
  return Report("launches inside a whole hold", static_cast<double>(tally.inside), 0, "",
                tally.inside == 0 && tally.whole > 0) &&
         tally.inside_unheld >= 100;
}

}  // namespace hone
