// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "hone/core/result.h"

// What a kernel takes by CUDA's own events, in a process of its own that does nothing else: what a
// person would measure who is alone with the GPU. The judge's time has to agree with it.
namespace hone {

// A kernel with the parameters (const float* x, float* out, int64_t n), in blocks of 256 threads.
struct EventOrder {
  std::string cubin;
  std::string kernel;
  int n = 65536;
};

// The median in us, less that of an empty kernel.
Result<double> TimeByEvents(const EventOrder& order);

// Is this program to be that process? Then its exit status. `count` and `words` as main has them.
int MeasureByEvents(int count, char** words);
inline constexpr const char* kEventsWord = "--measure-by-events";

}  // namespace hone
