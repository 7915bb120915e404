// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/option_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "hone/core/check.h"

namespace hone {
namespace {

template <typename T>
std::optional<T> Parse(const std::string& text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [rest, fault] = std::from_chars(text.data(), end, value);
  if (fault != std::errc{} || rest != end) return std::nullopt;
  return value;
}

}  // namespace

OptionReader::OptionReader(std::string domain, const std::vector<OptionFacts>& declared,
                           const Options& options)
    : domain_(std::move(domain)), declared_(declared), options_(options) {}

std::string OptionReader::Text(std::string_view name) {
  const auto declared = std::ranges::find(declared_, name, &OptionFacts::name);
  HONE_CHECK(declared != declared_.end());
  const auto given = options_.find(declared->name);
  return given == options_.end() ? declared->default_value : given->second;
}

double OptionReader::Number(std::string_view name, double low, double high) {
  const auto value = Parse<double>(Text(name));
  if (value && *value >= low && *value <= high) return *value;
  Expect(name, fmt::format("a number from {} to {}", low, high));
  return low;
}

std::int64_t OptionReader::Integer(std::string_view name, std::int64_t low, std::int64_t high) {
  const auto value = Parse<std::int64_t>(Text(name));
  if (value && *value >= low && *value <= high) return *value;
  Expect(name, fmt::format("an integer from {} to {}", low, high));
  return low;
}

std::string OptionReader::Choice(std::string_view name, const std::vector<std::string>& allowed) {
  HONE_CHECK(!allowed.empty());
  std::string text = Text(name);
  if (std::ranges::count(allowed, text) > 0) return text;
  Expect(name, fmt::format("one of {}", fmt::join(allowed, ", ")));
  return allowed.front();
}

void OptionReader::Fail(std::string_view name, std::string_view message) {
  if (fault_.empty()) fault_ = fmt::format("{}: option {}: {}", domain_, name, message);
}

Result<void> OptionReader::Finish() const {
  if (!fault_.empty()) return Error{Errc::kInvalidArgument, fault_};
  return {};
}

void OptionReader::Expect(std::string_view name, std::string_view allowed) {
  Fail(name, fmt::format("expected {}, found \"{}\"", allowed, Text(name)));
}

}  // namespace hone
