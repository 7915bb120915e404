// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/problem/formula.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <utility>

#include "hone/core/check.h"

namespace hone::compute {
namespace {

constexpr std::int64_t kLargest = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kSmallest = std::numeric_limits<std::int64_t>::min();
constexpr int kDeepest = 32;
constexpr std::size_t kMaxFormulaSteps = 64;
constexpr std::size_t kMaxFormulaCharacters = 1000;

std::int64_t Quotient(std::int64_t a, std::int64_t b) {
  if (b == 0) return 0;
  return a == kSmallest && b == -1 ? kLargest : a / b;  // A processor may trap on it.
}

std::int64_t Apply(char kind, std::int64_t a, std::int64_t b) {
  std::int64_t result = 0;
  bool is_over = false;
  if (kind == '+') is_over = __builtin_add_overflow(a, b, &result);
  if (kind == '-') is_over = __builtin_sub_overflow(a, b, &result);
  if (kind == '*') is_over = __builtin_mul_overflow(a, b, &result);
  if (kind == '/') result = Quotient(a, b);
  return is_over ? kLargest : result;
}

}  // namespace

// Precedence climbing: sums of products of atoms.
class FormulaParser {
 public:
  FormulaParser(std::string_view text, const std::vector<std::string>& names)
      : text_(text), names_(names) {}

  Result<Formula> Parse() {
    if (text_.size() > kMaxFormulaCharacters) {
      return Error{Errc::kInvalidArgument, fmt::format("a formula of {} characters; allowed: {}",
                                                       text_.size(), kMaxFormulaCharacters)};
    }
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
      Push({kind, 0});
    }
  }

  void Product(int depth) {
    Atom(depth);
    while (fault_.empty() && (Peek() == '*' || Peek() == '/')) {
      const char kind = text_[at_++];
      Atom(depth);
      Push({kind, 0});
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
    Push({'n', number});
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
    auto& names = formula_.names_;
    const auto known = std::ranges::find(names, name);
    Push({'v', known - names.begin()});
    if (known == names.end()) names.push_back(std::move(name));
  }

  void Push(Formula::Step step) {
    if (formula_.steps_.size() == kMaxFormulaSteps) {
      return Fail(fmt::format("more than {} numbers, sizes and operators", kMaxFormulaSteps));
    }
    formula_.steps_.push_back(step);
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
  std::array<std::int64_t, kMaxFormulaSteps> values{};
  for (std::size_t i = 0; i < names_.size(); ++i) values.at(i) = sizes.at(names_[i]);
  std::array<std::int64_t, kMaxFormulaSteps> stack{};
  std::size_t depth = 0;
  for (const Step& step : steps_) {
    if (step.kind == 'n') {
      stack.at(depth++) = step.number;
    } else if (step.kind == 'v') {
      stack.at(depth++) = values.at(static_cast<std::size_t>(step.number));
    } else {
      HONE_CHECK(depth >= 2);
      --depth;
      stack.at(depth - 1) = Apply(step.kind, stack.at(depth - 1), stack.at(depth));
    }
  }
  return depth == 0 ? 0 : stack.at(depth - 1);
}

}  // namespace hone::compute
