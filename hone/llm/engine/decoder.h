// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/engine/language_model.h"
#include "hone/llm/serve/engine_words.h"

namespace hone::llm {

struct DecoderSettings {
  std::int64_t rows = 8;            // Texts that are continued at the same time.
  std::int64_t max_length = 2048;   // Of a text, its prompt included.
  std::int64_t steps_per_read = 1;  // The host looks at what was sampled after so many steps.
  std::int64_t vocab_size = 0;      // Ids from here on are never sampled; 0: all of the model's.
  bool uses_graphs = true;          // Where there is a GPU.
};

// How one row begins.
struct RowStart {
  std::int64_t row = 0;
  std::span<const TokenId> prompt;  // At least one.
  // Another row that was started with the same prompt, before or in the same call: its cache is
  // copied instead of being computed.
  std::optional<std::int64_t> same_as;
  std::int64_t max_tokens = 1;
  Sampling sampling;
  std::uint64_t stream = 0;  // Seed of its random numbers.
  std::span<const TokenId> stop_ids;
  int top_log_probabilities = 0;
};

// Continues up to `rows` texts, a token each at a time, on the device of its model. Rows are
// independent: what comes of one depends on its start alone, but for rounding. Not safe for
// concurrent use; always used from one thread.
class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual const DecoderSettings& settings() const = 0;

  // The rows must be free, the prompts shorter than max_length.
  virtual void Start(std::span<const RowStart> starts) = 0;
  virtual void Free(std::int64_t row) = 0;
  virtual void Move(std::int64_t from, std::int64_t to) = 0;  // To a free row; `from` is free then.

  // Some steps for all rows that are in use. What was sampled, by row; a row ends with a stop id or
  // with its last token, and gives nothing more.
  virtual std::vector<std::vector<SampledToken>> Step() = 0;
};

// The model outlives it.
Result<std::unique_ptr<Decoder>> MakeDecoder(const LanguageModel& model, DecoderSettings settings);

}  // namespace hone::llm
