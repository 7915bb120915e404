// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "hone/core/result.h"
#include "hone/domains/compute/tensor.h"

namespace hone::compute {

struct DrawnInputs {
  Tensors inputs;
  std::size_t variant = 0;  // Of the problem's distributions (input_data.h).
};

// Draws the inputs of the next calls while the judge is busy with this one, on other processors.
// Where processors are what is timed this is no help: it would disturb them.
class DrawingAhead {
 public:
  // `draw` is called by so many threads, none of which is the caller's; each has one drawing ready
  // or in its hands.
  DrawingAhead(std::function<Result<DrawnInputs>()> draw, const std::vector<int>& cpus,
               std::size_t threads);
  DrawingAhead(const DrawingAhead&) = delete;
  DrawingAhead& operator=(const DrawingAhead&) = delete;
  ~DrawingAhead();

  // One that was drawn meanwhile; its place is filled again.
  Result<DrawnInputs> Next();

 private:
  void Draw(const std::vector<int>& cpus);

  const std::function<Result<DrawnInputs>()> draw_;
  std::mutex mutex_;
  std::condition_variable drawn_one_;
  std::condition_variable wants_one_;
  std::deque<Result<DrawnInputs>> drawn_;  // Protected by mutex_, as are the next two.
  std::size_t wanted_ = 0;                 // That nobody has begun to draw.
  bool is_over_ = false;
  std::vector<std::thread> threads_;  // Last: they use all the others.
};

}  // namespace hone::compute
