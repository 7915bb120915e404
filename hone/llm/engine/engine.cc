// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/engine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "hone/core/check.h"
#include "hone/core/rng.h"

namespace hone::llm {
namespace {

Result<void> CheckSampling(const Sampling& sampling) {
  const auto fault = [](const char* what, double value) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: {} is out of range", what, value)};
  };
  const auto is_within = [](double value, double low, double high) {
    return std::isfinite(value) && value >= low && value <= high;
  };
  if (!is_within(sampling.temperature, 0, 100)) return fault("temperature", sampling.temperature);
  if (!is_within(sampling.top_p, 0, 1)) return fault("top_p", sampling.top_p);
  if (!is_within(sampling.min_p, 0, 1)) return fault("min_p", sampling.min_p);
  if (sampling.top_k < 0) return fault("top_k", static_cast<double>(sampling.top_k));
  if (!is_within(sampling.repetition_penalty, 1e-3, 1e3)) {
    return fault("repetition_penalty", sampling.repetition_penalty);
  }
  if (!is_within(sampling.presence_penalty, -100, 100)) {
    return fault("presence_penalty", sampling.presence_penalty);
  }
  if (!is_within(sampling.frequency_penalty, -100, 100)) {
    return fault("frequency_penalty", sampling.frequency_penalty);
  }
  return {};
}

}  // namespace

Engine::Engine(Decoder& decoder)
    : decoder_(decoder), rows_(static_cast<std::size_t>(decoder.settings().rows)) {}

Result<void> Engine::Check(const GenerationRequest& request, std::int64_t vocab_size,
                           std::int64_t max_length) {
  const auto wrong = [](std::string message) {
    return Error{Errc::kInvalidArgument, std::move(message)};
  };
  const auto length = static_cast<std::int64_t>(request.prompt.size());
  if (request.prompt.empty()) return wrong("prompt: it has no token");
  if (length >= max_length) {
    return wrong(fmt::format("prompt: {} tokens, and the context has {}: nothing could follow",
                             length, max_length));
  }
  const auto is_unknown = [vocab_size](TokenId id) { return id < 0 || id >= vocab_size; };
  const auto unknown = std::find_if(request.prompt.begin(), request.prompt.end(), is_unknown);
  if (unknown != request.prompt.end()) {
    return wrong(fmt::format("prompt: {} is no id of the {} of this model", *unknown, vocab_size));
  }
  if (request.samples < 1) return wrong("samples: at least one");
  if (request.max_tokens < 1) return wrong("max_tokens: at least one");
  if (request.top_log_probabilities < 0 || request.top_log_probabilities > kMaxTopLogProbs) {
    return wrong(fmt::format("top_logprobs: 0 to {}", kMaxTopLogProbs));
  }
  return CheckSampling(request.sampling);
}

void Engine::Submit(RequestId id, GenerationRequest request) {
  HONE_CHECK(!requests_.contains(id));
  for (int i = 0; i < request.samples; ++i) waiting_.push_back({id, i, 0});
  ++stats_.requests;
  stats_.prompt_tokens += request.prompt.size();
  const int samples = request.samples;
  requests_.emplace(id, Request{std::move(request), samples, false});
}

void Engine::Cancel(RequestId id) {
  const auto found = requests_.find(id);
  if (found != requests_.end()) found->second.is_cancelled = true;
}

std::vector<GenerationEvent> Engine::DropCancelled() {
  std::vector<GenerationEvent> events;
  const auto drop = [&](const Sample& sample) {
    if (!requests_.at(sample.request).is_cancelled) return false;
    events.push_back({sample.request, sample.number, {}, FinishReason::kCancelled});
    return true;
  };
  std::erase_if(waiting_, drop);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i] || !drop(*rows_[i])) continue;
    decoder_.Free(static_cast<std::int64_t>(i));
    rows_[i].reset();
  }
  std::erase_if(requests_, [](const auto& entry) { return entry.second.is_cancelled; });
  return events;
}

std::optional<std::int64_t> Engine::RowWithPromptOf(RequestId request) const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i] && rows_[i]->request == request) return static_cast<std::int64_t>(i);
  }
  return std::nullopt;
}

void Engine::Join() {
  std::vector<RowStart> starts;
  for (std::size_t i = 0; i < rows_.size() && !waiting_.empty(); ++i) {
    if (rows_[i]) continue;
    const Sample sample = waiting_.front();
    waiting_.pop_front();
    const GenerationRequest& wanted = requests_.at(sample.request).wanted;
    RowStart start;
    start.row = static_cast<std::int64_t>(i);
    start.prompt = wanted.prompt;
    start.same_as = RowWithPromptOf(sample.request);
    start.max_tokens = wanted.max_tokens;
    start.sampling = wanted.sampling;
    start.stream = Rng(wanted.seed).Split(static_cast<std::uint64_t>(sample.number)).Next();
    start.stop_ids = wanted.stop_ids;
    start.top_log_probabilities = wanted.top_log_probabilities;
    if (!start.same_as) stats_.computed_tokens += wanted.prompt.size();
    starts.push_back(start);
    rows_[i] = sample;
  }
  if (!starts.empty()) decoder_.Start(starts);
}

// Rows that are in use come first when that halves what a step computes.
void Engine::Compact() {
  const auto used = static_cast<std::size_t>(
      std::count_if(rows_.begin(), rows_.end(), [](const auto& row) { return row.has_value(); }));
  std::size_t last = rows_.size();
  while (last > 0 && !rows_[last - 1]) --last;
  if (used * 2 > last) return;
  for (std::size_t to = 0; to < used; ++to) {
    if (rows_[to]) continue;
    while (!rows_[last - 1]) --last;
    decoder_.Move(static_cast<std::int64_t>(last - 1), static_cast<std::int64_t>(to));
    rows_[to] = std::exchange(rows_[last - 1], std::nullopt);
  }
}

void Engine::End(const Sample& sample) {
  const auto found = requests_.find(sample.request);
  if (--found->second.open == 0) requests_.erase(found);
}

std::vector<GenerationEvent> Engine::Step() {
  std::vector<GenerationEvent> events = DropCancelled();
  Join();
  Compact();
  ++stats_.steps;
  auto sampled = decoder_.Step();
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (!rows_[i] || sampled[i].empty()) continue;
    Sample& sample = *rows_[i];
    const GenerationRequest& wanted = requests_.at(sample.request).wanted;
    sample.produced += static_cast<std::int64_t>(sampled[i].size());
    stats_.sampled_tokens += sampled[i].size();
    GenerationEvent event{sample.request, sample.number, std::move(sampled[i]), std::nullopt};
    const TokenId last = event.tokens.back().id;
    const std::int64_t room =
        decoder_.settings().max_length - static_cast<std::int64_t>(wanted.prompt.size()) + 1;
    if (std::find(wanted.stop_ids.begin(), wanted.stop_ids.end(), last) != wanted.stop_ids.end()) {
      event.finish = FinishReason::kStop;
    } else if (sample.produced >= std::min(wanted.max_tokens, room)) {
      event.finish = FinishReason::kLength;
    }
    if (event.finish) {
      decoder_.Free(static_cast<std::int64_t>(i));
      End(sample);
      rows_[i].reset();
    }
    events.push_back(std::move(event));
  }
  return events;
}

EngineStats Engine::stats() const {
  EngineStats stats = stats_;
  stats.rows_in_use =
      std::count_if(rows_.begin(), rows_.end(), [](const auto& row) { return row.has_value(); });
  stats.samples_waiting = static_cast<std::int64_t>(waiting_.size());
  return stats;
}

}  // namespace hone::llm
