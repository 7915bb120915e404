// SPDX-License-Identifier: Apache-2.0
// tries: nothing: a sum in four parts, of one case that is known
// problem_file: sum_of_one_case.json
// expect: accepted

extern "C" void kernel(const int32_t* x, int64_t* out, int64_t n) {
  int64_t part[4] = {};
  for (int64_t i = 0; i < n; ++i) part[i % 4] += x[i];
  *out = part[0] + part[1] + part[2] + part[3];
}
