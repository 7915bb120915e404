// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hone::llm {

// A token that a tokenizer.json adds to its vocabulary and that is found in text as it stands.
struct AddedToken {
  std::int32_t id = 0;
  std::string content;
  bool is_single_word = false;  // Only between characters that are no letters or digits.
  bool strips_left = false;     // Takes the white space before it, too.
  bool strips_right = false;
  bool is_normalized = false;  // Looked for in normalised text.
  bool is_special = false;
};

// A part of a text: one added token, or what lies between two.
struct TextPart {
  std::string_view text;
  std::optional<std::int32_t> token;
};

// Finds tokens in text: the leftmost first, of several at one place the longest.
class AddedTokens {
 public:
  void Add(AddedToken token);  // One with an empty content is never found.

  // Special tokens stay mere text unless `with_special`.
  void Split(std::string_view text, bool with_special, std::vector<TextPart>& parts) const;

 private:
  struct Node {
    std::vector<std::pair<unsigned char, std::uint32_t>> next;  // Sorted by byte.
    std::int32_t token = -1;                                    // An index into tokens_.
  };

  std::int32_t LongestAt(std::string_view text) const;

  std::vector<AddedToken> tokens_;
  std::vector<Node> nodes_ = {Node{}};
  std::vector<bool> begins_ = std::vector<bool>(256);
};

}  // namespace hone::llm
