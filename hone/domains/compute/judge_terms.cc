// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/judge_terms.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <cmath>
#include <limits>
#include <set>
#include <string_view>

#include "hone/base/sha256.h"
#include "hone/domains/compute/compute_options.h"

namespace hone::compute {
namespace {

constexpr std::size_t kMaxQuotedValue = 60;

std::string ValueIn(const Options& options, const std::string& name) {
  const auto found = options.find(name);
  return found == options.end() ? "" : found->second;
}

// NaN, which is neither more nor less than anything, for what is no number.
double NumberIn(std::string_view text) {
  double number = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool is_number = fault == std::errc{} && end == text.data() + text.size();
  return is_number ? number : std::numeric_limits<double>::quiet_NaN();
}

// What is asked of a problem by name beyond the default. Options that are not here have to be the
// default, so a new one cannot be forgotten.
struct Leeway {
  std::string_view option;
  std::string_view words;  // What is standard besides the default.
  bool (*is_stricter)(std::string_view value, std::string_view standard);
};

bool IsMore(std::string_view value, std::string_view standard) {
  return NumberIn(value) >= NumberIn(standard);
}

const Leeway* LeewayFor(std::string_view option) {
  static constexpr Leeway kLeeways[] = {
      {"trials", " or more", IsMore},
      {"samples", " or more", IsMore},
      {"timing_budget_ms", " or more", IsMore},
      {"precision", " or less",
       [](std::string_view value, std::string_view standard) { return IsMore(standard, value); }},
      {"others", " or wait",
       [](std::string_view value, std::string_view) { return value == "wait"; }},
      {"sanitize", " or always",
       [](std::string_view value, std::string_view) { return value == "always"; }}};
  for (const Leeway& leeway : kLeeways) {
    if (leeway.option == option) return &leeway;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> DeviationsIn(const Options& options) {
  if (ValueIn(options, "problem").empty()) return {};
  std::vector<std::string> deviations;
  for (const OptionFacts& facts : ComputeOptionFacts()) {
    const auto asked = options.find(facts.name);
    const bool is_place = facts.name == "problem" || facts.name == "problem_text";
    if (is_place || asked == options.end() || asked->second == facts.default_value) continue;
    const Leeway* const leeway = LeewayFor(facts.name);
    if (leeway != nullptr && leeway->is_stricter(asked->second, facts.default_value)) continue;
    if (facts.default_value.empty()) {
      deviations.push_back(facts.name + ": another one than the problem's");
    } else {
      deviations.push_back(fmt::format(
          "{}={} ({}{} is standard)", facts.name, asked->second.substr(0, kMaxQuotedValue),
          facts.default_value, leeway != nullptr ? leeway->words : ""));
    }
  }
  return deviations;
}

JudgeTerms TermsOf(const Options& options, const Problem& problem) {
  return {ValueIn(options, "problem"), Sha256Of(problem.text), DeviationsIn(options)};
}

Json ToJson(const JudgeTerms& terms) {
  return {{"problem", terms.problem.empty() ? Json(nullptr) : Json(terms.problem)},
          {"digest", terms.digest},
          {"deviations", terms.deviations}};
}

std::string TextOf(const JudgeTerms& terms) {
  if (terms.problem.empty()) {
    return fmt::format("The problem was sent with the kernel (SHA-256 {:.16}).", terms.digest);
  }
  if (terms.deviations.empty()) return "";
  return fmt::format("Not the standard verdict on {}: {}.", terms.problem,
                     fmt::join(terms.deviations, "; "));
}

}  // namespace hone::compute
