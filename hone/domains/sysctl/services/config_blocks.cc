// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/services/config_blocks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace hone::sysctl {
namespace {

bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  Result<ConfigPlaces> Run() {
    while (SkipToWord()) {
      const char c = text_[at_];
      const bool is_read = c == ';'   ? EndStatement()
                           : c == '{' ? OpenBlock()
                           : c == '}' ? CloseBlock()
                                      : TakeWord();
      if (!is_read) return Wrong();
    }
    if (!open_.empty()) fault_ = fmt::format("the block {} is not closed", open_.back());
    if (!words_.empty()) fault_ = "the last statement has no ; at its end";
    if (!fault_.empty()) return Wrong();
    return std::move(places_);
  }

 private:
  struct Word {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  Error Wrong() const {
    const auto line =
        1 + std::count(text_.begin(),
                       text_.begin() + static_cast<std::ptrdiff_t>(std::min(at_, text_.size())),
                       '\n');
    return {Errc::kInvalidArgument, fmt::format("line {}: {}", line, fault_)};
  }

  // False: the text is over.
  bool SkipToWord() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (IsSpace(text_[at_])) {
        ++at_;
      } else {
        return true;
      }
    }
    return false;
  }

  bool TakeWord() {
    const std::size_t begin = at_;
    const char quote = text_[at_];
    const bool is_quoted = quote == '"' || quote == '\'';
    if (is_quoted) ++at_;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '\\') {
        at_ += 2;
        continue;
      }
      if (text_.substr(at_).starts_with("${")) {  // A variable is no block.
        at_ = std::min(text_.find('}', at_), text_.size());
      }
      if (is_quoted ? c == quote : IsSpace(c) || c == ';' || c == '{' || c == '}') break;
      ++at_;
    }
    if (is_quoted && at_ >= text_.size()) {
      fault_ = "a quotation mark is not closed";
      return false;
    }
    at_ = std::min(at_ + (is_quoted ? 1 : 0), text_.size());
    words_.push_back({begin, at_});
    return true;
  }

  std::string PathNow() const { return fmt::format("{}", fmt::join(open_, "/")); }

  std::string TextOf(const Word& word) const {
    return std::string(text_.substr(word.begin, word.end - word.begin));
  }

  bool EndStatement() {
    if (!words_.empty()) {
      const std::size_t begin = words_.size() > 1 ? words_[1].begin : words_[0].end;
      places_.directives.push_back({PathNow(), TextOf(words_[0]), begin, words_.back().end});
    }
    words_.clear();
    ++at_;
    return true;
  }

  bool OpenBlock() {
    if (words_.empty()) {
      fault_ = "a block without a name";
      return false;
    }
    open_.push_back(TextOf(words_[0]));
    words_.clear();
    places_.blocks.push_back({PathNow(), ++at_});
    return true;
  }

  bool CloseBlock() {
    if (open_.empty() || !words_.empty()) {
      fault_ = open_.empty() ? "a } without its {" : "a statement has no ; at its end";
      return false;
    }
    open_.pop_back();
    ++at_;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<Word> words_;  // Of the statement so far.
  std::vector<std::string> open_;
  std::string fault_;
  ConfigPlaces places_;
};

}  // namespace

Result<ConfigPlaces> FindPlaces(std::string_view text) { return Scanner(text).Run(); }

}  // namespace hone::sysctl
