// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/tune/proposers/model/gaussian_process.h"
#include "hone/tune/proposers/model/wished_shape.h"

namespace hone::tune {

// The process with what is wished for as its prior mean: the sum of the wished shapes, each times a
// height of its own. Before anything was measured a height is expected to be h = trust · spread of
// the rewards / √groups, with a deviation as large as itself, half of whose variance all heights
// share; what was measured moves it, by generalised least squares under the process. No height is
// below 0: what measurements contradict is not turned round. `min_spread` is what the rewards
// scatter by at least. As the process itself where nothing is wished for, or nobody is trusted.
GaussianProcess LedBy(const WishedShape& wishes, double trust, const GaussianProcess& process,
                      double min_spread);

}  // namespace hone::tune
