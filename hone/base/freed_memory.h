// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone {

// From now on memory that was freed stays with this process, for the next one who asks: arrays of
// millions that come and go with every call would else cost more in new pages than in filling them.
// malloc_trim still gives it back.
void KeepFreedMemory();

}  // namespace hone
