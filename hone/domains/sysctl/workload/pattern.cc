// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/workload/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <utility>

namespace hone::sysctl {

struct Pattern::Compiled {
  re2::RE2 expression;
  int group = 1;

  Compiled(const std::string& text, const re2::RE2::Options& options) : expression(text, options) {}
};

Pattern::Pattern(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

namespace {
constexpr std::string_view kOfLines = "(?m)";
}  // namespace

Result<Pattern> Pattern::Make(const std::string& expression, const std::string& group) {
  const auto refuse = [](std::string message) {
    return Error{Errc::kInvalidArgument, std::move(message)};
  };
  re2::RE2::Options options;
  options.set_log_errors(false);
  auto compiled = std::make_unique<Compiled>(std::string(kOfLines) + expression, options);
  const re2::RE2& re = compiled->expression;
  if (!re.ok()) {
    std::string fault = re.error();
    if (const auto own = fault.find(kOfLines); own != fault.npos) fault.erase(own, kOfLines.size());
    return refuse(fmt::format("is not a regular expression: {}", fault));
  }
  const auto named = re.NamedCapturingGroups().find(group);
  if (named != re.NamedCapturingGroups().end()) {
    compiled->group = named->second;
  } else if (re.NumberOfCapturingGroups() != 1) {
    return refuse(
        fmt::format("needs one group around the number, or one named (?P<{}>…); it has {} groups",
                    group, re.NumberOfCapturingGroups()));
  }
  return Pattern(std::move(compiled));
}

std::vector<std::string> Pattern::FindAll(std::string_view text) const {
  std::vector<std::string> found;
  const re2::StringPiece whole(text.data(), text.size());
  const auto count = static_cast<std::size_t>(compiled_->group) + 1;
  std::vector<re2::StringPiece> groups(count);
  for (std::size_t at = 0; at <= text.size();) {
    if (!compiled_->expression.Match(whole, at, text.size(), re2::RE2::UNANCHORED, groups.data(),
                                     static_cast<int>(count))) {
      break;
    }
    found.emplace_back(groups.back().data() == nullptr ? "" : groups.back().as_string());
    const auto end = static_cast<std::size_t>(groups[0].end() - whole.begin());
    at = end > at ? end : at + 1;
  }
  return found;
}

}  // namespace hone::sysctl
