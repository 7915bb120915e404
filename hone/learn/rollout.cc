// SPDX-License-Identifier: Apache-2.0
#include "hone/learn/rollout.h"

namespace hone::learn {

Advantages EstimateAdvantages(const Rollout& rollout, std::span<const double> last_values,
                              double gamma, double lambda) {
  const std::size_t width = rollout.environments;
  Advantages result{.advantages = std::vector<double>(rollout.size()),
                    .returns = std::vector<double>(rollout.size())};
  std::vector<double> next_values(last_values.begin(), last_values.end());
  std::vector<double> next_advantages(width, 0);
  for (std::size_t at = rollout.size(); at-- > 0;) {
    const std::size_t e = at % width;
    const double goes_on = rollout.ends[at] ? 0 : 1;
    const double delta =
        rollout.rewards[at] + gamma * goes_on * next_values[e] - rollout.values[at];
    next_advantages[e] = delta + gamma * lambda * goes_on * next_advantages[e];
    next_values[e] = rollout.values[at];
    result.advantages[at] = next_advantages[e];
    result.returns[at] = next_advantages[e] + rollout.values[at];
  }
  return result;
}

}  // namespace hone::learn
