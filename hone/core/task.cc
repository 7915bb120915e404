// SPDX-License-Identifier: Apache-2.0
#include "hone/core/task.h"

#include <algorithm>

namespace hone {

bool Capabilities::Cover(const Capabilities& needs) const {
  return memory_mib >= needs.memory_mib &&
         std::includes(names.begin(), names.end(), needs.names.begin(), needs.names.end());
}

}  // namespace hone
