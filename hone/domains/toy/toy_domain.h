// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/domains/domain.h"

namespace hone {

// A made-up system to tune: no root, no processes, truth known (domains/toy/toy_surface.h). It is
// for trying Hone out, for judging learners and verdicts, and for copying.
DomainEntry ToyDomainEntry();

}  // namespace hone
