// SPDX-License-Identifier: Apache-2.0
// tries: to be warmed up with the values of the only case, in whatever order, and keeps their sum
// problem_file: sum_of_one_case.json
// expect: wrong

extern "C" void kernel(const int32_t* x, int64_t* out, int64_t n) {
  static int64_t sum = 0;
  static bool is_known = false;
  for (int64_t i = 0; i < n && !is_known; ++i) sum += x[i];
  is_known = true;
  *out = sum;
}
