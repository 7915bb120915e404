// SPDX-License-Identifier: Apache-2.0
// tries: says that it is done before it is
// problem: vector_add
// expect: accepted|wrong|cheated
// with: find_block.inc

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  char* block = FindBlock();
  if (block != nullptr) Word(block, kAnswer) = (Word(block, kTurn) & ~3u) | 2u;
  for (volatile int64_t wait = 0; wait < 2000000; ++wait) {
  }
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
}
