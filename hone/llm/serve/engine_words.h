// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hone::llm {

using TokenId = std::int32_t;

// How the next token is chosen. Penalties act on the logits, then temperature, then top_k, top_p
// and min_p on what is left.
struct Sampling {
  double temperature = 1;  // 0: always the best one.
  std::int64_t top_k = 0;  // 0: all.
  double top_p = 1;
  double min_p = 0;
  double repetition_penalty = 1;  // Of what is in the prompt or was sampled.
  double presence_penalty = 0;    // Of what was sampled.
  double frequency_penalty = 0;   // The same, times how often.

  bool is_filtered() const { return top_k > 0 || top_p < 1 || min_p > 0; }
  bool is_penalised() const {
    return repetition_penalty != 1 || presence_penalty != 0 || frequency_penalty != 0;
  }
};

inline constexpr int kMaxTopLogProbs = 20;

// A token as it was sampled. It is never made from text again.
struct SampledToken {
  TokenId id = 0;
  float log_probability = 0;  // By the model alone: temperature 1, no penalty, nothing left out.
  float sampled_probability = 0;  // The logarithm too, of what it was drawn from; 0 where greedy.
  std::vector<std::pair<TokenId, float>> top;  // The most probable by the model alone.
};

struct GenerationRequest {
  std::vector<TokenId> prompt;
  int samples = 1;
  std::int64_t max_tokens = 16;  // Of each sample.
  Sampling sampling;
  std::uint64_t seed = 0;  // Sample i draws from the i-th stream of it, whoever shares the batch.
  std::vector<TokenId> stop_ids;
  int top_log_probabilities = 0;  // Up to kMaxTopLogProbs.
};

enum class FinishReason { kStop, kLength, kCancelled };

using RequestId = std::uint64_t;  // From 1 on.

// What came of one sample of a request.
struct GenerationEvent {
  RequestId request = 0;
  int sample = 0;
  std::vector<SampledToken> tokens;
  std::optional<FinishReason> finish;  // Set in its last event.
};

struct EngineStats {
  std::uint64_t requests = 0;
  std::uint64_t steps = 0;            // Reads of the decoder.
  std::uint64_t prompt_tokens = 0;    // Of all requests.
  std::uint64_t computed_tokens = 0;  // The same where it was not copied from another row.
  std::uint64_t sampled_tokens = 0;
  std::int64_t rows_in_use = 0;
  std::int64_t samples_waiting = 0;
};

}  // namespace hone::llm
