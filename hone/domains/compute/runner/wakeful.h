// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

namespace hone::compute {

// While it lives, these processors do not sleep: each spins whenever nobody else wants it. One that
// has slept takes longer to wake than one that has just worked, by more than kernels differ by, and
// a kernel could keep its own awake with a timer that spares the reference. Where that cannot be
// had, nothing happens.
class WakefulProcessors {
 public:
  explicit WakefulProcessors(const std::vector<int>& cpus);
  WakefulProcessors(const WakefulProcessors&) = delete;
  WakefulProcessors& operator=(const WakefulProcessors&) = delete;
  ~WakefulProcessors();

 private:
  struct Spinner;

  std::vector<std::unique_ptr<Spinner>> spinners_;
};

}  // namespace hone::compute
