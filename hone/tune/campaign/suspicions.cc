// SPDX-License-Identifier: Apache-2.0
#include "hone/tune/campaign/suspicions.h"

#include <fmt/format.h>

#include <string_view>

namespace hone::tune {

void Suspicions::Add(const Evaluation& evaluation) {
  constexpr std::string_view kPrefix = "suspicious: ";
  for (const Sample& sample : evaluation.samples) {
    ++runs_;
    bool is_suspicious = false;
    for (const std::string& mark : sample.marks) {
      if (!mark.starts_with(kPrefix)) continue;
      is_suspicious = true;
      ++counts_[mark.substr(kPrefix.size())];
    }
    suspicious_runs_ += is_suspicious ? 1 : 0;
  }
}

std::vector<std::string> Suspicions::GraveTexts() const {
  return 4 * suspicious_runs_ >= runs_ ? Texts() : std::vector<std::string>();
}

std::vector<std::string> Suspicions::Texts() const {
  std::vector<std::string> texts;
  for (const auto& [what, count] : counts_) {
    texts.push_back(fmt::format("{} (in {} of {} runs)", what, count, runs_));
  }
  return texts;
}

}  // namespace hone::tune
