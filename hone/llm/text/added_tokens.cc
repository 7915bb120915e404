// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/added_tokens.h"

#include <algorithm>

#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

constexpr std::int32_t kNoToken = -1;

const auto kByByte = [](const auto& edge, unsigned char byte) { return edge.first < byte; };

}  // namespace

void AddedTokens::Add(AddedToken token) {
  if (token.content.empty()) return;
  std::uint32_t node = 0;
  for (const char letter : token.content) {
    const auto byte = static_cast<unsigned char>(letter);
    auto& edges = nodes_[node].next;
    auto place = std::lower_bound(edges.begin(), edges.end(), byte, kByByte);
    if (place == edges.end() || place->first != byte) {
      const auto fresh = static_cast<std::uint32_t>(nodes_.size());
      edges.insert(place, {byte, fresh});
      nodes_.emplace_back();
      node = fresh;
    } else {
      node = place->second;
    }
  }
  begins_[static_cast<unsigned char>(token.content.front())] = true;
  nodes_[node].token = static_cast<std::int32_t>(tokens_.size());
  tokens_.push_back(std::move(token));
}

std::int32_t AddedTokens::LongestAt(std::string_view text) const {
  std::int32_t found = kNoToken;
  std::uint32_t node = 0;
  for (const char letter : text) {
    const auto byte = static_cast<unsigned char>(letter);
    const auto& edges = nodes_[node].next;
    const auto place = std::lower_bound(edges.begin(), edges.end(), byte, kByByte);
    if (place == edges.end() || place->first != byte) break;
    node = place->second;
    if (nodes_[node].token != kNoToken) found = nodes_[node].token;
  }
  return found;
}

void AddedTokens::Split(std::string_view text, bool with_special,
                        std::vector<TextPart>& parts) const {
  std::size_t done = 0;
  std::size_t at = 0;
  while (at < text.size()) {
    if (!begins_[static_cast<unsigned char>(text[at])]) {
      ++at;
      continue;
    }
    const std::int32_t found = LongestAt(text.substr(at));
    if (found == kNoToken) {
      ++at;
      continue;
    }
    const AddedToken& token = tokens_[static_cast<std::size_t>(found)];
    std::size_t begin = at;
    std::size_t end = at + token.content.size();
    at = end;  // What is inside a token that does not count is not looked at again.
    if (token.is_special && !with_special) continue;
    if (begin < done) continue;
    if (token.is_single_word &&
        (EndsInWord(text.substr(0, begin)) || BeginsWithWord(text.substr(end)))) {
      continue;
    }
    if (token.strips_left) begin = std::max(done, begin - SpacesAtEnd(text.substr(0, begin)));
    if (token.strips_right) end += SpacesAtFront(text.substr(end));
    if (done < begin) parts.push_back({text.substr(done, begin - done), std::nullopt});
    parts.push_back({text.substr(begin, end - begin), token.id});
    done = end;
  }
  if (done < text.size()) parts.push_back({text.substr(done), std::nullopt});
}

}  // namespace hone::llm
