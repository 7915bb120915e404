// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>

#include "hone/core/check.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr int kDeepest = 32;

std::int64_t Apply(char kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool is_over = false;
  if (kind == '+') is_over = __builtin_add_overflow(a, b, &result);
  if (kind == '-') is_over = __builtin_sub_overflow(a, b, &result);
  if (kind == '*') is_over = __builtin_mul_overflow(a, b, &result);
  if (kind == '/') result = b == 0 ? 0 : a / b;
  return is_over ? kLargest : result;
}

}  // namespace

// Precedence climbing: sums of products of atoms.
class FormulaParser {
 public:
  FormulaParser(std::string_view text, const std::vector<std::string>& names)
      : text_(text), names_(names) {}

  Result<Formula> Parse() {
    Sum(0);
    Skip();
    if (fault_.empty() && at_ < text_.size()) Fail("expected an operator");
    if (!fault_.empty()) {
      return Error{Errc::kInvalidArgument, fmt::format("formula \"{}\": {}", text_, fault_)};
    }
    formula_.text_ = std::string(text_);
    return formula_;
  }

 private:
  void Sum(int depth) {
    Product(depth);
    while (fault_.empty() && (Peek() == '+' || Peek() == '-')) {
      const char kind = text_[at_++];
      Product(depth);
      formula_.steps_.push_back({kind, 0, ""});
    }
  }

  void Product(int depth) {
    Atom(depth);
    while (fault_.empty() && (Peek() == '*' || Peek() == '/')) {
      const char kind = text_[at_++];
      Atom(depth);
      formula_.steps_.push_back({kind, 0, ""});
    }
  }

  void Atom(int depth) {
    const char next = Peek();
    if (depth > kDeepest) return Fail("too deep");
    if (next == '(') {
      ++at_;
      Sum(depth + 1);
      if (Peek() != ')') return Fail("expected \")\"");
      ++at_;
    } else if (std::isdigit(static_cast<unsigned char>(next)) != 0) {
      Number();
    } else if (std::isalpha(static_cast<unsigned char>(next)) != 0 || next == '_') {
      Name();
    } else {
      Fail("expected a number, a size or \"(\"");
    }
  }

  void Number() {
    std::int64_t number = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0) {
      number = Apply('+', Apply('*', number, 10), text_[at_++] - '0');
    }
    formula_.steps_.push_back({'n', number, ""});
  }

  void Name() {
    std::string name;
    while (at_ < text_.size() &&
           (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      name += text_[at_++];
    }
    if (std::ranges::find(names_, name) == names_.end()) {
      return Fail(fmt::format("{} is not one of the sizes ({})", name, fmt::join(names_, ", ")));
    }
    formula_.steps_.push_back({'v', 0, name});
  }

  char Peek() {
    Skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  void Skip() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
  }

  void Fail(std::string message) {
    if (fault_.empty()) fault_ = fmt::format("at column {}: {}", at_ + 1, message);
  }

  std::string_view text_;
  const std::vector<std::string>& names_;
  std::size_t at_ = 0;
  std::string fault_;
  Formula formula_;
};

Result<Formula> Formula::Parse(std::string_view text, const std::vector<std::string>& names) {
  return FormulaParser(text, names).Parse();
}

std::int64_t Formula::At(const Sizes& sizes) const {
  std::vector<std::int64_t> stack;
  for (const Step& step : steps_) {
    if (step.kind == 'n') {
      stack.push_back(step.number);
    } else if (step.kind == 'v') {
      stack.push_back(sizes.at(step.name));
    } else {
      HONE_CHECK(stack.size() >= 2);
      const std::int64_t right = stack.back();
      stack.pop_back();
      stack.back() = Apply(step.kind, stack.back(), right);
    }
  }
  return stack.empty() ? 0 : stack.back();
}

}  // namespace hone::compute
