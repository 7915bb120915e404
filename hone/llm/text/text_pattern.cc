// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/text/text_pattern.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <fmt/format.h>
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "hone/core/check.h"
#include "hone/llm/text/unicode.h"

namespace hone::llm {
namespace {

constexpr std::size_t kMaxExpression = 10'000;
constexpr std::uint32_t kMaxSteps = 20'000'000;
constexpr std::uint32_t kMaxHeapKib = 32 << 10;
constexpr std::uint32_t kMaxNesting = 50;
constexpr std::size_t kFirstStack = 64 << 10;
constexpr std::size_t kMaxStack = 8 << 20;

// PCRE2's own \s has U+180E, which is no White_Space, and its class differs between versions.
std::string WithUnicodeSpaces(std::string_view expression) {
  std::string result;
  for (std::size_t at = 0; at < expression.size(); ++at) {
    if (expression[at] != '\\' || at + 1 == expression.size()) {
      result += expression[at];
      continue;
    }
    const char escaped = expression[++at];
    if (escaped == 's') {
      result += "\\p{White_Space}";
    } else if (escaped == 'S') {
      result += "\\P{White_Space}";
    } else {
      result += '\\';
      result += escaped;
    }
  }
  return result;
}

struct FreeCompileContext {
  void operator()(pcre2_compile_context* context) const { pcre2_compile_context_free(context); }
};

struct FreeCode {
  void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};

// What a match needs besides the expression: one for each thread.
class MatchRoom {
 public:
  MatchRoom()
      : matched_(pcre2_match_data_create(1, nullptr)),
        context_(pcre2_match_context_create(nullptr)),
        stack_(pcre2_jit_stack_create(kFirstStack, kMaxStack, nullptr)) {
    HONE_CHECK(matched_ != nullptr && context_ != nullptr && stack_ != nullptr);
    pcre2_set_match_limit(context_, kMaxSteps);
    pcre2_set_heap_limit(context_, kMaxHeapKib);
    pcre2_jit_stack_assign(context_, nullptr, stack_);
  }
  MatchRoom(const MatchRoom&) = delete;
  MatchRoom& operator=(const MatchRoom&) = delete;
  ~MatchRoom() {
    pcre2_jit_stack_free(stack_);
    pcre2_match_context_free(context_);
    pcre2_match_data_free(matched_);
  }

  // Where the next match at or after `from` is; false if there is none, or it took too long.
  bool Find(const pcre2_code* code, std::string_view text, std::size_t from, std::size_t& begin,
            std::size_t& end) {
    const int found = pcre2_match(code, reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                  from, PCRE2_NO_UTF_CHECK, matched_, context_);
    if (found < 0) return false;
    const PCRE2_SIZE* place = pcre2_get_ovector_pointer(matched_);
    begin = place[0];
    end = place[1];
    return begin <= end && begin >= from && end <= text.size();  // \K can break it.
  }

 private:
  pcre2_match_data* matched_;
  pcre2_match_context* context_;
  pcre2_jit_stack* stack_;
};

std::string PatternFault(int number) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(number, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

}  // namespace

struct TextPattern::Code {
  std::unique_ptr<pcre2_code, FreeCode> code;
};

TextPattern::TextPattern(std::unique_ptr<const Code> code) : code_(std::move(code)) {}
TextPattern::TextPattern(TextPattern&&) noexcept = default;
TextPattern& TextPattern::operator=(TextPattern&&) noexcept = default;
TextPattern::~TextPattern() = default;

Result<TextPattern> TextPattern::Compile(std::string_view expression) {
  if (expression.size() > kMaxExpression || !IsValidUtf8(expression)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("a regular expression of at most {} bytes of UTF-8 was expected",
                             kMaxExpression)};
  }
  const std::string adapted = WithUnicodeSpaces(expression);
  const std::unique_ptr<pcre2_compile_context, FreeCompileContext> context(
      pcre2_compile_context_create(nullptr));
  HONE_CHECK(context != nullptr);
  pcre2_set_parens_nest_limit(context.get(), kMaxNesting);
  int fault = 0;
  PCRE2_SIZE place = 0;
  auto code = std::make_unique<Code>();
  code->code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(adapted.data()), adapted.size(),
                                 PCRE2_UTF | PCRE2_UCP | PCRE2_NEVER_BACKSLASH_C, &fault, &place,
                                 context.get()));
  if (code->code == nullptr) {
    return Error{Errc::kUnsupported, fmt::format("the regular expression {} cannot be read: {}",
                                                 expression, PatternFault(fault))};
  }
  // Without it (where memory may not be made executable) matching is slower and the same.
  static_cast<void>(pcre2_jit_compile(code->code.get(), PCRE2_JIT_COMPLETE));
  return TextPattern(std::move(code));
}

void TextPattern::Split(std::string_view text, std::vector<std::string_view>& pieces) const {
  static thread_local MatchRoom room;
  std::size_t done = 0;  // Up to here all is in pieces.
  std::size_t from = 0;
  std::size_t begin = 0;
  std::size_t end = 0;
  while (from < text.size() && room.Find(code_->code.get(), text, from, begin, end)) {
    if (begin == end) {  // Nothing: look for the next one character further.
      if (begin >= text.size()) break;
      from = begin + std::max<std::size_t>(1, CharacterBytes(text.substr(begin)));
      continue;
    }
    if (begin > done) pieces.push_back(text.substr(done, begin - done));
    pieces.push_back(text.substr(begin, end - begin));
    done = from = end;
  }
  if (done < text.size()) pieces.push_back(text.substr(done));
}

}  // namespace hone::llm
