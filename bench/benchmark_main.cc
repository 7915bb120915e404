// SPDX-License-Identifier: Apache-2.0
#include "bench/benchmark_main.h"

#include <exception>
#include <iostream>

int main(int argc, char** argv) {
  try {
    return hone::BenchmarkMain(argc, argv);
  } catch (const std::exception& fault) {
    std::cerr << argv[0] << ": " << fault.what() << "\n";
    return 3;
  }
}
