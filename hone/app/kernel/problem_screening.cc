// SPDX-License-Identifier: Apache-2.0
#include "hone/app/kernel/problem_screening.h"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/host.h"
#include "hone/base/sha256.h"
#include "hone/domains/compute/backends/torch_image.h"
#include "hone/domains/compute/task_for_kernel.h"

namespace hone::app {
namespace {

namespace fs = std::filesystem;

// Changes whenever an earlier result says something else than one of now would; what runs a problem
// counts by itself.
constexpr const char* kRules = "2: zeros, ones, a mean, another answer, copies of inputs 0 to 3";
constexpr const char* kRecordName = "screening.json";
constexpr std::size_t kMaxRecord = 64 << 10;
constexpr std::size_t kMaxDetail = 400;
constexpr const char* kScreeningTrials = "2";  // One tells nothing of an answer to other inputs.

constexpr const char* kItself = "from hone_reference import Model as ModelNew\n";

// The runner has the reference as a module, since it makes a candidate's arguments too.
constexpr const char* kAnswers = R"(import torch
from hone_reference import Model, get_inputs

def leaves(value):
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [leaf for part in value for leaf in leaves(part)]
    if value is None:
        return []
    return [value if isinstance(value, torch.Tensor) else torch.tensor(value)]

class ModelNew(Model):
    def __init__(self, *arguments, **named):
        super().__init__(*arguments, **named)
        self.others = None if {is_of_input} else leaves(super().forward(*get_inputs()))

    def forward(self, *inputs):
        outputs = leaves(super().forward(*inputs))
        return [self.answer(output, i, inputs) for i, output in enumerate(outputs)]

    def answer(self, output, i, inputs):
        return {answer}
)";

struct Degenerate {
  std::string_view name;
  std::string_view answer;  // In the words of kAnswers.
  bool is_of_input;         // Then nothing has to be known of other inputs.
};

constexpr std::array<Degenerate, 8> kDegenerates{{
    {"zeros", "torch.zeros_like(output)", true},
    {"ones", "torch.ones_like(output)", true},
    {"a constant",
     "torch.full_like(output, self.others[i].double().mean().to(output.dtype).item())", false},
    {"the answer to other inputs", "self.others[i].clone()", false},
    {"a copy of input 0", "inputs[0].reshape(output.shape).to(output.dtype).clone()", true},
    {"a copy of input 1", "inputs[1].reshape(output.shape).to(output.dtype).clone()", true},
    {"a copy of input 2", "inputs[2].reshape(output.shape).to(output.dtype).clone()", true},
    {"a copy of input 3", "inputs[3].reshape(output.shape).to(output.dtype).clone()", true},
}};

std::string Replaced(std::string text, std::string_view from, std::string_view to) {
  return text.replace(text.find(from), from.size(), to);
}

std::string SourceOf(const Degenerate& degenerate) {
  const std::string text =
      Replaced(kAnswers, "{is_of_input}", degenerate.is_of_input ? "True" : "False");
  return Replaced(text, "{answer}", degenerate.answer);
}

struct ScreenResult {
  std::string outcome;
  std::string reason;
  std::string doubt;  // What the judge remarks about the problem.
};

ScreenResult ResultOf(const Json& task) {
  if (task.contains("dropped")) return {"dropped", task["dropped"].value("reason", ""), ""};
  if (!task.contains("evaluation")) return {"dropped", "there is no evaluation", ""};
  const Json& evaluation = task["evaluation"];
  ScreenResult result{evaluation.value("outcome", ""), evaluation.value("reason", ""), ""};
  for (const Json& evidence : evaluation.value("evidence", Json::array())) {
    if (evidence.value("what", "") == "problem") result.doubt = evidence.value("text", "");
  }
  return result;
}

class Screener {
 public:
  Screener(const ScreeningOrder& order, const JudgeTask& judge, const std::stop_token& stop)
      : order_(order), judge_(judge), stop_(stop) {}

  Result<Screening> Screen() {
    Screening screening;
    screening.key = ScreeningKey(order_.problem, order_.torch);
    screening.timeout = order_.timeout;
    screening.memory_mib = MachineMemoryMib();
    const auto itself = Judge(kItself);
    if (!itself) return itself.error();
    if (itself->outcome != "accepted") {
      screening.not_screened = ReasonFor(itself->outcome, itself->reason);
      screening.detail = itself->reason.substr(0, kMaxDetail);
      return screening;
    }
    if (itself->doubt.empty()) return screening;
    for (const Degenerate& degenerate : kDegenerates) {
      const auto result = Judge(SourceOf(degenerate));
      if (!result) return result.error();
      if (result->outcome == "accepted") screening.accepts.emplace_back(degenerate.name);
      if (result->outcome == "timed_out") screening.detail = result->reason.substr(0, kMaxDetail);
    }
    if (!screening.accepts.empty()) return screening;
    screening.not_screened = screening.detail.empty() ? kDoubted : kTimeLimit;
    if (screening.detail.empty()) screening.detail = itself->doubt.substr(0, kMaxDetail);
    return screening;
  }

 private:
  Result<ScreenResult> Judge(std::string source) {
    compute::SourceOrder order;
    order.source = std::move(source);
    order.options = {
        {"problem_text", order_.problem.text}, {"samples", "0"}, {"trials", kScreeningTrials}};
    order.seed = order_.seed;
    order.run_timeout = order_.timeout;
    auto task = compute::TaskForSource(std::move(order));
    if (!task) return task.error();
    const auto judged = judge_(std::move(*task), stop_);
    if (stop_.stop_requested()) return Error{Errc::kUnavailable, "stopped"};
    if (!judged) return judged.error();
    return ResultOf(*judged);
  }

  const ScreeningOrder& order_;
  const JudgeTask& judge_;
  const std::stop_token& stop_;
};

bool Mentions(std::string_view text, std::initializer_list<std::string_view> words) {
  for (const std::string_view word : words) {
    if (text.find(word) != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace

std::string TextOf(const Screening& screening) {
  if (!screening.not_screened.empty())
    return fmt::format("not screened: {}", screening.not_screened);
  return screening.accepts.empty() ? "sound"
                                   : fmt::format("accepts {}", fmt::join(screening.accepts, ", "));
}

Json RecordOf(const Screening& screening) {
  return {{"verdict", !screening.not_screened.empty() ? "not_screened"
                      : screening.is_sound()          ? "sound"
                                                      : "accepts"},
          {"accepts", screening.accepts},
          {"not_screened", screening.not_screened},
          {"detail", screening.detail},
          {"key", screening.key},
          {"timeout_ms", screening.timeout.count()},
          {"memory_mib", screening.memory_mib}};
}

Result<Screening> ReadScreening(const Json& json) {
  JsonReader reader(json, kRecordName);
  Screening screening;
  reader.At("verdict").String();  // For people; what follows says the same.
  for (JsonReader& item : reader.At("accepts").Items()) {
    screening.accepts.push_back(item.String());
  }
  screening.not_screened = reader.At("not_screened").String();
  screening.detail = reader.At("detail").String();
  screening.key = reader.At("key").String();
  screening.timeout = std::chrono::milliseconds{reader.At("timeout_ms").Integer()};
  screening.memory_mib = reader.At("memory_mib").Integer();
  reader.RefuseOthers();
  if (const auto read = reader.Finish(); !read) return read.error();
  return screening;
}

std::optional<Screening> FindScreening(const fs::path& folder) {
  const auto text = ReadRegularFile(folder / kRecordName, kMaxRecord);
  if (!text) return std::nullopt;
  const auto json = ParseJson(*text, kRecordName);
  if (!json) return std::nullopt;
  auto screening = ReadScreening(*json);
  return screening ? std::optional(*std::move(screening)) : std::nullopt;
}

Result<void> KeepScreening(const fs::path& folder, const Screening& screening) {
  return WriteFileAtomically(folder / kRecordName, Dump(RecordOf(screening)) + '\n');
}

std::string ScreeningKey(const compute::Problem& problem, const std::string& torch) {
  return Sha256OfTexts({kRules, torch, compute::TorchRunnerText(), problem.text});
}

bool StillHolds(const Screening& known, const std::string& key, std::chrono::milliseconds timeout,
                std::int64_t memory_mib) {
  if (known.key != key || known.not_screened == kNotJudged) return false;
  const bool is_limited = known.not_screened == kTimeLimit || known.not_screened == kTooLargeHere;
  return !is_limited || (timeout <= known.timeout && memory_mib <= known.memory_mib);
}

std::string ReasonFor(const std::string& outcome, const std::string& reason) {
  if (Mentions(reason, {"used more memory than it may", "can't allocate memory", "MemoryError",
                        "are left for outputs", "not enough memory", "ran out of memory"})) {
    return kTooLargeHere;
  }
  if (Mentions(reason, {"CUDA", "cuda"})) return kNeedsCuda;
  if (outcome == "timed_out" || Mentions(reason, {"in time"})) return kTimeLimit;
  if (outcome == "wrong") return kNotItself;
  return outcome == "dropped" ? kNotJudged : kRaises;
}

Result<Screening> Screen(const ScreeningOrder& order, const JudgeTask& judge,
                         const std::stop_token& stop) {
  return Screener(order, judge, stop).Screen();
}

}  // namespace hone::app
