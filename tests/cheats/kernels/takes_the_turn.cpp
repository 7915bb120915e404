// SPDX-License-Identifier: Apache-2.0
// tries: writes the word that belongs to the judge
// problem: vector_add
// expect: cheated
// with: find_block.inc

extern "C" void kernel(const float* a, const float* b, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] + b[i];
  char* block = FindBlock();
  if (block != nullptr) Word(block, kTurn) += 4;
}
