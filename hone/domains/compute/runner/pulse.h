// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone::compute {

// How long a fixed piece of work takes on this processor now, in ns: some microseconds in
// registers, as much at once as the processor can do. It tells a lower clock and a neighbour on the
// other thread of the core, of which a guest knows nothing else. Negative: where we are.
double TakePulse(int cpu);

}  // namespace hone::compute
