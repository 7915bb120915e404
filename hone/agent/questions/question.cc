// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/questions/question.h"

#include <fmt/format.h>

#include <array>

namespace hone::agent {
namespace {

constexpr std::array<std::string_view, 5> kQuestionKinds = {"Bool", "Tristate", "Menu", "Choice",
                                                            "Value"};

}  // namespace

std::string_view NameOf(QuestionKind kind) {
  return kQuestionKinds.at(static_cast<std::size_t>(kind));
}

Result<QuestionKind> QuestionKindNamed(std::string_view name) {
  for (std::size_t i = 0; i < kQuestionKinds.size(); ++i) {
    if (kQuestionKinds.at(i) == name) return static_cast<QuestionKind>(i);
  }
  return Error{Errc::kInvalidArgument,
               fmt::format("\"{}\": expected Bool, Tristate, Menu, Choice or Value", name)};
}

}  // namespace hone::agent
