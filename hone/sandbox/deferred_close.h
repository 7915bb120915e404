// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/base/descriptor.h"

// For the sandbox itself.
namespace hone {

// Closes the descriptor soon, in a thread of its own. The last one on a mount namespace takes its
// mounts away, for which the kernel waits until all CPUs have noticed: milliseconds on a busy
// machine, which nobody has to spend waiting. Few are put off at a time; more are closed at once.
void CloseDeferred(Descriptor descriptor);

}  // namespace hone
