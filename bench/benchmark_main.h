// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone {

// What a benchmark's driver does; benchmark_main.cc calls it and turns what it throws into an exit
// status of 3.
int BenchmarkMain(int argc, char** argv);

}  // namespace hone
