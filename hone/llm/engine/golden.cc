// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/golden.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "hone/core/rng.h"
#include "hone/llm/engine/decoder.h"
#include "hone/llm/engine/engine.h"
#include "hone/llm/engine/language_model.h"
#include "hone/llm/files/safetensors.h"

namespace hone::llm {
namespace {

constexpr std::size_t kCheckedIds = 32;

template <typename T>
std::vector<T> NumbersOf(const TensorView& view) {
  std::vector<T> numbers(view.bytes.size() / sizeof(T));
  std::memcpy(numbers.data(), view.bytes.data(), numbers.size() * sizeof(T));
  return numbers;
}

std::vector<TokenId> IdsOf(const TensorView& view) {
  const auto wide = NumbersOf<std::int64_t>(view);
  return {wide.begin(), wide.end()};
}

class Golden {
 public:
  explicit Golden(const SafetensorsFile& file) {
    for (const TensorView& tensor : file.tensors()) tensors_.emplace(tensor.name, &tensor);
  }
  const TensorView* Find(const std::string& name, int prompt) const {
    const auto found = tensors_.find(fmt::format("{}.{}", name, prompt));
    return found == tensors_.end() ? nullptr : found->second;
  }

 private:
  std::map<std::string, const TensorView*> tensors_;
};

// What was kept may be the last positions only.
void CompareLogits(const LanguageModel& model, const std::vector<TokenId>& prompt,
                   const TensorView& kept, GoldenReport& report) {
  const auto theirs = NumbersOf<float>(kept);
  const auto ours = model.Logits(prompt);
  const std::size_t skipped = ours.size() - std::min(ours.size(), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    const double error = std::abs(static_cast<double>(ours[skipped + i]) - theirs[i]);
    if (!(error <= report.logit_error)) report.logit_error = error;  // A NaN is an error too.
    report.largest_logit = std::max(report.largest_logit, std::abs(static_cast<double>(theirs[i])));
  }
}

std::vector<SampledToken> Greedy(Decoder& decoder, const std::vector<TokenId>& prompt,
                                 std::size_t count) {
  Engine engine(decoder);
  GenerationRequest request;
  request.prompt = prompt;
  request.max_tokens = static_cast<std::int64_t>(count);
  request.sampling.temperature = 0;
  engine.Submit(1, std::move(request));
  std::vector<SampledToken> all;
  while (!engine.is_idle()) {
    for (GenerationEvent& event : engine.Step()) {
      std::move(event.tokens.begin(), event.tokens.end(), std::back_inserter(all));
    }
  }
  return all;
}

void CompareGreedy(Decoder& decoder, const Golden& golden, int number, GoldenReport& report) {
  const auto theirs = IdsOf(*golden.Find("greedy", number));
  const TensorView* kept = golden.Find("greedy_logprobs", number);
  const TensorView* gaps = golden.Find("greedy_gaps", number);
  const auto logs = kept ? NumbersOf<float>(*kept) : std::vector<float>();
  const auto ours = Greedy(decoder, IdsOf(*golden.Find("prompt", number)), theirs.size());
  for (std::size_t i = 0; i < theirs.size(); ++i) {
    if (i >= ours.size() || ours[i].id != theirs[i]) {
      report.first_difference = static_cast<std::int64_t>(i);
      if (gaps) report.gap_at_difference = NumbersOf<float>(*gaps)[i];
      return;
    }
    ++report.greedy_tokens;
    if (i >= logs.size()) continue;
    const double error = std::abs(static_cast<double>(ours[i].log_probability) - logs[i]);
    report.log_probability_error = std::max(report.log_probability_error, error);
  }
}

const TensorView* LogitsOf(const Golden& golden, int number, DataType type) {
  const std::vector<std::string> names =
      type == DataType::kBF16
          ? std::vector<std::string>{"logits_bf16", "last_logits_bf16", "logits", "last_logits"}
          : std::vector<std::string>{"logits", "last_logits"};
  for (const std::string& name : names) {
    if (const TensorView* found = golden.Find(name, number)) return found;
  }
  return nullptr;
}

}  // namespace

Result<GoldenReport> CompareWithGolden(const std::filesystem::path& folder,
                                       const std::filesystem::path& base,
                                       const Placement& placement, bool uses_graphs) {
  const auto file = SafetensorsFile::Open(folder / "golden.safetensors");
  if (!file) return file.error();
  auto model = LanguageModel::Open(base.empty() ? folder : base, placement);
  if (!model) return model.error();
  if (!base.empty()) {
    const auto adapter = LoraAdapter::Open(folder);
    if (!adapter) return adapter.error();
    if (auto merged = model->Merge(*adapter); !merged) return merged.error();
  }
  DecoderSettings settings;
  settings.rows = 1;
  settings.max_length = 512;
  settings.steps_per_read = 4;
  settings.uses_graphs = uses_graphs;
  auto decoder = MakeDecoder(*model, settings);
  if (!decoder) return decoder.error();
  const Golden golden(*file);
  GoldenReport report;
  for (; golden.Find("prompt", report.prompts); ++report.prompts) {
    const int number = report.prompts;
    if (const TensorView* kept = LogitsOf(golden, number, placement.type)) {
      CompareLogits(*model, IdsOf(*golden.Find("prompt", number)), *kept, report);
    }
    if (golden.Find("greedy", number)) CompareGreedy(**decoder, golden, number, report);
  }
  return report;
}

Result<void> SaveForCheck(const LanguageModel& model, const std::filesystem::path& folder) {
  if (auto saved = model.Save(folder); !saved) return saved.error();
  Rng random(1);
  std::vector<std::int64_t> ids;
  while (ids.size() < kCheckedIds) {
    const auto vocab = static_cast<std::uint64_t>(model.config().vocab_size);
    ids.push_back(static_cast<std::int64_t>(random.Below(vocab)));
  }
  const auto logits = model.Logits(std::vector<TokenId>(ids.begin(), ids.end()));
  const auto length = static_cast<std::int64_t>(kCheckedIds);
  const std::array<TensorView, 2> views = {
      TensorView{"ids", DataType::kI64, {length}, std::as_bytes(std::span(ids))},
      TensorView{"logits",
                 DataType::kF32,
                 {length, model.config().vocab_size},
                 std::as_bytes(std::span(logits))}};
  return WriteSafetensors(folder / "check.safetensors", views);
}

std::string Text(const GoldenReport& report) {
  return fmt::format(
      "{} prompts · logits up to {:.3g}, off by at most {:.2g} · {} greedy tokens equal{}, their "
      "log-probabilities off by at most {:.2g}",
      report.prompts, report.largest_logit, report.logit_error, report.greedy_tokens,
      report.first_difference < 0 ? ""
                                  : fmt::format(", then a difference at {} (gap {:.2g})",
                                                report.first_difference, report.gap_at_difference),
      report.log_probability_error);
}

}  // namespace hone::llm
