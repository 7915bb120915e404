// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/suspicions.h"

#include <fmt/format.h>

#include <string_view>

namespace hone::tune {

void Suspicions::Add(const Evaluation& evaluation) {
  constexpr std::string_view kPrefix = "suspicious: ";
  for (const Sample& sample : evaluation.samples) {
    ++runs_;
    for (const std::string& mark : sample.marks) {
      if (mark.starts_with(kPrefix)) ++counts_[mark.substr(kPrefix.size())];
    }
  }
}

std::vector<std::string> Suspicions::Texts() const { return TextsFrom(0); }

std::vector<std::string> Suspicions::GraveTexts() const { return TextsFrom((runs_ + 3) / 4); }

std::vector<std::string> Suspicions::TextsFrom(std::int64_t min_count) const {
  std::vector<std::string> texts;
  for (const auto& [what, count] : counts_) {
    if (count < min_count) continue;
    texts.push_back(fmt::format("{} (in {} of {} runs)", what, count, runs_));
  }
  return texts;
}

}  // namespace hone::tune
