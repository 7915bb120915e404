// SPDX-License-Identifier: Apache-2.0
#include "hone/core/candidate.h"

#include "hone/core/rng.h"

namespace hone {

std::uint64_t DigestOf(const Candidate& candidate) {
  return DigestOf(ToText(candidate.assignment) + '\0' + candidate.source);
}

std::string DescribeChange(const Candidate& baseline, const Candidate& candidate) {
  Assignment changed;
  for (const auto& [name, value] : candidate.assignment) {
    const auto before = baseline.assignment.find(name);
    if (before == baseline.assignment.end() || before->second != value) changed[name] = value;
  }
  std::string text = ToText(changed);
  if (candidate.source != baseline.source) {
    if (!text.empty()) text += ' ';
    text += "source changed";
  }
  return text.empty() ? "no change" : text;
}

}  // namespace hone
