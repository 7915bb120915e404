// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hone::llm {

// Ends a text at the first of some words. What could be the beginning of one is held back.
class StopFilter {
 public:
  explicit StopFilter(std::vector<std::string> words) : words_(std::move(words)) {}

  std::string Add(std::string_view text);  // What may be shown now.
  std::string Finish();                    // What was held back and is no word.
  bool has_stopped() const { return has_stopped_; }

 private:
  std::vector<std::string> words_;
  std::string held_;
  bool has_stopped_ = false;
};

struct ToolCall {
  std::string name;
  std::string arguments;  // JSON, as text.
};

// Parts a model's text into what is for people and the calls of tools in it: blocks of
// <tool_call>{"name": …, "arguments": …}</tool_call>, as Qwen writes them, or a text that is one
// object with "name" and "parameters", as Llama does. What does not parse stays text.
class ToolFilter {
 public:
  explicit ToolFilter(bool looks_for_calls) : looks_for_calls_(looks_for_calls) {}

  std::string Add(std::string_view text);
  std::string Finish();
  const std::vector<ToolCall>& calls() const { return calls_; }  // Whole after Finish.

 private:
  void ParseBlocks(std::string& rest);

  bool looks_for_calls_;
  bool has_begun_ = false;  // Something that is not a blank was shown.
  bool holds_all_ = false;  // A call has begun, perhaps.
  std::string held_;
  std::vector<ToolCall> calls_;
};

// How many bytes at the end of the text could be the beginning of the word, but not all of it.
std::size_t HeldBack(std::string_view text, std::string_view word);

}  // namespace hone::llm
