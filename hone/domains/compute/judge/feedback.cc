// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge/feedback.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "hone/base/json/evidence_json.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMaxReason = 300;
constexpr std::size_t kMaxWords = 900;  // Of what a tool says, in the text,
constexpr std::size_t kMaxTold = 4000;  // and in the object; the evidence has all of it.
constexpr std::size_t kMaxShownKernels = 4;
constexpr std::string_view kCutMark = " [cut]";

struct WordsOf {
  const char* evidence;
  const char* member;
  const char* source;
};

constexpr std::array<WordsOf, 7> kTold{{
    {"compiler output", "compiler", "the compiler"},
    {"exception", "exception", "the process that ran the kernel"},
    {"difference", "difference", "the first trial that failed, compared by the judge"},
    {"cheat", "cheat", "the judge's check and what it saw"},
    {"sanitizer", "sanitizer", "NVIDIA's compute-sanitizer"},
    {"machine", "machine", "the judge's look at the machine"},
    {"problem", "problem", "the judge's look at the problem"},
}};

// Cut at a character, and said to be.
std::string Cut(std::string_view text, std::size_t max) {
  if (text.size() <= max) return std::string(text);
  std::size_t end = max - kCutMark.size();
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + std::string(kCutMark);
}

// Warnings may come first in what compilers say, and errors are what counts.
std::string_view FromFirstError(std::string_view text, std::size_t max) {
  const std::size_t at = text.find("error");
  if (text.size() <= max || at == text.npos) return text;
  const std::size_t line = text.rfind('\n', at);
  return text.substr(line == text.npos ? 0 : line + 1);
}

void AddWords(const RunResult& result, Json& feedback) {
  for (const WordsOf& told : kTold) {
    const std::string* const text = FindEvidence(result.evidence, told.evidence);
    if (text == nullptr || !ReadJsonEvidence({told.evidence, *text}).is_null()) continue;
    feedback[told.member] = {{"text", Cut(FromFirstError(*text, kMaxTold), kMaxTold)},
                             {"source", told.source}};
  }
}

void AddTime(const Json& times, Json& feedback) {
  Json time = {{"ns", times["candidate"]["median_ns"]},
               {"source", "the judge's clock, less an empty call; the median"}};
  if (times.contains("reference")) {
    time["reference_ns"] = times["reference"]["median_ns"];
    time["speedup"] = times["speedup"];
    time["speedup_interval"] = times["speedup_interval"];
  }
  feedback["time"] = std::move(time);
}

// How close it comes to what the machine can do.
void AddBound(const Roofline& roofline, double ns, bool has_device, Json& feedback) {
  const bool is_known = roofline.peak.bytes_per_ns > 0 && roofline.peak.operations_per_ns > 0;
  if (!is_known || roofline.Floor() <= 0 || ns <= 0) return;
  const double bytes_per_ns = roofline.bytes / ns;
  const double operations_per_ns = roofline.operations / ns;
  feedback["bound"] = {
      {"side", roofline.BytesNs() >= roofline.OperationsNs() ? "memory" : "arithmetic"},
      {"floor_ns", roofline.Floor()},
      {"share_of_floor", roofline.Floor() / ns},
      {"bytes", roofline.bytes},
      {"bytes_per_ns", bytes_per_ns},
      {"peak_bytes_per_ns", roofline.peak.bytes_per_ns},
      {"share_of_bandwidth", bytes_per_ns / roofline.peak.bytes_per_ns},
      {"operations", roofline.operations},
      {"operations_per_ns", operations_per_ns},
      {"peak_operations_per_ns", roofline.peak.operations_per_ns},
      {"share_of_arithmetic", operations_per_ns / roofline.peak.operations_per_ns},
      {"source",
       has_device ? "bytes and operations: at least so many, as the problem declares them; peaks: "
                    "kernels of the judge's, from the cache that all multiprocessors share and on "
                    "the fastest units of this GPU"
                  : "bytes and operations: at least so many, as the problem declares them; peaks: "
                    "loops of the judge's, from the nearest caches and in the widest vectors of "
                    "the cores that the kernel may use"}};
}

void AddLaunches(const Json& times, const Json& launches, Json& feedback) {
  feedback["kernels"] = launches["launches"];
  feedback["launching"] = {
      {"launches", launches["launches"].size()},
      {"empty_call_ns", times.is_object() ? times["round_trip_ns"] : Json(nullptr)},
      {"source",
       "launches: the source, for the timed shape; empty_call_ns: a call with one empty kernel, "
       "already taken off the time, so that every launch beyond the first counts"}};
}

std::int64_t ProductOf(const std::array<std::int64_t, 3>& extent) {
  return extent[0] * extent[1] * extent[2];
}

Json LaunchJson(const LaunchFacts& launch) {
  Json json = {{"kernel", launch.kernel},
               {"grid", launch.grid},
               {"block", launch.block},
               {"registers", launch.registers},
               {"local_bytes", launch.local_bytes},
               {"shared_bytes", launch.shared_bytes},
               {"max_threads", launch.max_threads},
               {"blocks_at_once", nullptr},
               {"occupancy", nullptr},
               {"waves", nullptr},
               {"source",
                "the driver: cuFuncGetAttribute of what was loaded, and "
                "cuOccupancyMaxActiveBlocksPerMultiprocessor for this launch"}};
  if (launch.blocks_at_once <= 0) return json;
  json["blocks_at_once"] = launch.blocks_at_once;
  const auto at_once = static_cast<double>(launch.blocks_at_once);
  if (launch.threads_at_once > 0) {
    json["occupancy"] = at_once * static_cast<double>(ProductOf(launch.block)) /
                        static_cast<double>(launch.threads_at_once);
  }
  if (launch.multiprocessors > 0) {
    json["waves"] = static_cast<double>(ProductOf(launch.grid)) /
                    (at_once * static_cast<double>(launch.multiprocessors));
  }
  return json;
}

std::string TimeText(const Json& time) {
  const double us = time["ns"].get<double>() / 1e3;
  if (!time.contains("reference_ns")) return fmt::format("It takes {:.4g} us.\n", us);
  std::string text =
      fmt::format("It takes {:.4g} us, the reference {:.4g} us: {:.4g} times as fast", us,
                  time["reference_ns"].get<double>() / 1e3, time["speedup"].get<double>());
  const Json& interval = time["speedup_interval"];
  if (interval.is_array()) {
    text += fmt::format(" (95 %: {:.4g} to {:.4g})", interval[0].get<double>(),
                        interval[1].get<double>());
  } else {
    text += " (too few calls to say how well that is known)";
  }
  return text + ".\n";
}

std::string BoundText(const Json& bound, bool has_device) {
  const bool is_by_memory = bound["side"] == "memory";
  const char* const best = has_device ? "what kernels of the judge reach on this GPU"
                                      : "what loops of the judge reach on this machine";
  const auto of = [&](const char* member) { return bound[member].get<double>(); };
  return is_by_memory
             ? fmt::format(
                   "Bound by memory: at least {:.4g} bytes at {:.4g} GB/s, {:.0f} % of {} ({:.4g} "
                   "GB/s from cache); its arithmetic is at {:.0f} %.\n",
                   of("bytes"), of("bytes_per_ns"), 100 * of("share_of_bandwidth"), best,
                   of("peak_bytes_per_ns"), 100 * of("share_of_arithmetic"))
             : fmt::format(
                   "Bound by arithmetic: at least {:.4g} operations at {:.4g} Gop/s, {:.0f} % of "
                   "{} "
                   "({:.4g} Gop/s); its memory is at {:.0f} %.\n",
                   of("operations"), of("operations_per_ns"), 100 * of("share_of_arithmetic"), best,
                   of("peak_operations_per_ns"), 100 * of("share_of_bandwidth"));
}

std::string KernelText(const Json& kernel) {
  const auto of = [&](const char* member) { return kernel[member].get<std::int64_t>(); };
  std::string text = fmt::format(
      "Kernel {}: grid {}, block {}; {} registers and {} bytes of local memory a thread, {} bytes "
      "shared",
      Cut(kernel["kernel"].get<std::string>(), 60), kernel["grid"].dump(), kernel["block"].dump(),
      of("registers"), of("local_bytes"), of("shared_bytes"));
  if (kernel["occupancy"].is_number()) {
    text += fmt::format("; {:.0f} % occupancy", 100 * kernel["occupancy"].get<double>());
  }
  if (kernel["waves"].is_number()) {
    text += fmt::format(", {:.3g} waves of blocks", kernel["waves"].get<double>());
  }
  text += ".";
  if (of("local_bytes") > 0) text += " Its local memory is spills or arrays with unknown indices.";
  return text + "\n";
}

std::string KernelsText(const Json& feedback) {
  if (!feedback.contains("kernels")) return "";
  std::string text;
  const Json& kernels = feedback["kernels"];
  for (std::size_t i = 0; i < std::min(kernels.size(), kMaxShownKernels); ++i) {
    text += KernelText(kernels[i]);
  }
  if (kernels.size() > kMaxShownKernels) {
    text += fmt::format("{} launches in all.\n", kernels.size());
  }
  const Json& empty = feedback["launching"]["empty_call_ns"];
  if (kernels.size() > 1 && empty.is_number()) {
    text += fmt::format(
        "One empty launch, there and back, takes {:.3g} us and is not counted; the "
        "{} others are.\n",
        empty.get<double>() / 1e3, kernels.size() - 1);
  }
  return text;
}

std::string WholeText(const RunResult& result, const Json& feedback, bool has_device,
                      const JudgeTerms& terms) {
  std::string text = fmt::format("Outcome: {}.\n", NameOf(result.outcome));
  if (const std::string told = TextOf(terms); !told.empty()) text += Cut(told, kMaxReason) + "\n";
  if (!result.reason.empty()) text += Cut(result.reason, kMaxReason) + "\n";
  for (const WordsOf& told : kTold) {
    if (!feedback.contains(told.member)) continue;
    const std::string words = feedback[told.member]["text"];
    const std::string fresh = WithoutSeenLines(FromFirstError(words, kMaxWords), result.reason);
    if (!fresh.empty()) text += fmt::format("{}: {}\n", told.evidence, Cut(fresh, kMaxWords));
  }
  if (feedback.contains("time")) text += TimeText(feedback["time"]);
  if (feedback.contains("bound")) text += BoundText(feedback["bound"], has_device);
  return Cut(text + KernelsText(feedback), kMaxFeedbackText);
}

}  // namespace

Json FeedbackOf(const RunResult& result, const Roofline& roofline, bool has_device,
                const JudgeTerms& terms) {
  Json feedback = {
      {"outcome", NameOf(result.outcome)}, {"reason", result.reason}, {"terms", ToJson(terms)}};
  AddWords(result, feedback);
  const Json times = FindJsonEvidence(result.evidence, "times");
  const bool is_timed =
      times.is_object() && times.contains("candidate") && !times["candidate"]["times_ns"].empty();
  if (is_timed && result.outcome == Outcome::kAccepted) {
    AddTime(times, feedback);
    AddBound(roofline, times["candidate"]["median_ns"].get<double>(), has_device, feedback);
  }
  const Json launches = FindJsonEvidence(result.evidence, "kernels");
  if (launches.is_object()) AddLaunches(times, launches, feedback);
  feedback["text"] = WholeText(result, feedback, has_device, terms);
  return feedback;
}

Json LaunchesJson(const std::vector<LaunchFacts>& launches) {
  Json list = Json::array();
  for (const LaunchFacts& launch : launches) list.push_back(LaunchJson(launch));
  return {{"launches", std::move(list)}};
}

}  // namespace hone::compute
