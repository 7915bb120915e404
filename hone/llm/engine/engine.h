// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "hone/core/result.h"
#include "hone/llm/engine/decoder.h"
#include "hone/llm/serve/engine_words.h"

namespace hone::llm {

// Shares the rows of a decoder among requests, which join and leave between steps. Samples begin in
// the order in which they came. Not safe for concurrent use.
class Engine {
 public:
  explicit Engine(Decoder& decoder);  // Which outlives it.

  // kInvalidArgument for what can never run: an empty prompt, one that leaves no room, ids outside
  // the vocabulary, numbers out of range. `vocab_size` is the model's.
  static Result<void> Check(const GenerationRequest& request, std::int64_t vocab_size,
                            std::int64_t max_length);

  // A checked request under an id of the caller's, new each time.
  void Submit(RequestId id, GenerationRequest request);

  // What is left of it ends in the next Step. An id that is not known is nothing.
  void Cancel(RequestId id);

  bool is_idle() const { return requests_.empty(); }

  // Lets samples join, makes the decoder's next steps, and tells what came of them.
  std::vector<GenerationEvent> Step();

  EngineStats stats() const;

 private:
  struct Request {
    GenerationRequest wanted;
    int open = 0;  // Samples that have not ended.
    bool is_cancelled = false;
  };
  struct Sample {
    RequestId request = 0;
    int number = 0;
    std::int64_t produced = 0;
  };

  std::vector<GenerationEvent> DropCancelled();
  void Join();
  void Compact();
  std::optional<std::int64_t> RowWithPromptOf(RequestId request) const;
  void End(const Sample& sample);

  Decoder& decoder_;
  std::map<RequestId, Request> requests_;
  std::deque<Sample> waiting_;
  std::vector<std::optional<Sample>> rows_;
  EngineStats stats_;
};

}  // namespace hone::llm
