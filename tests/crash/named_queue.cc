// SPDX-License-Identifier: Apache-2.0
#include "tests/crash/named_queue.h"

#include <fmt/format.h>

#include "hone/base/clock.h"
#include "hone/eval/sqlite_queue.h"

namespace hone {

Result<std::unique_ptr<TaskQueue>> OpenNamedQueue(const std::string& name,
                                                  const std::string& address) {
  if (name == "sqlite") return MakeSqliteQueue(address, SystemClock());
  return Error{Errc::kNotFound, fmt::format("queue {}: there is no such queue", name)};
}

}  // namespace hone
