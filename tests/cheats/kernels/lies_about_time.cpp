// SPDX-License-Identifier: Apache-2.0
// tries: takes over the runner's loop and reports a call of one nanosecond
// problem: matmul
// expect: cheated
// evidence: clock
// with: find_block.inc

static void honest(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < n; ++j) out[i * n + j] = 0;
    for (int64_t l = 0; l < k; ++l)
      for (int64_t j = 0; j < n; ++j) out[i * n + j] += a[i * k + l] * b[l * n + j];
  }
}
extern "C" void kernel(const float* a, const float* b, float* out, int64_t m, int64_t n, int64_t k) {
  honest(a, b, out, m, n, k);
  char* block = FindBlock();
  if (block == nullptr) return;
  uint32_t turn = Word(block, kTurn);
  Clock(block)[0] = 0, Clock(block)[1] = 1;
  Answer(block, turn >> 2, 2);
  for (;;) {
    turn = WaitForTurn(block, turn, false);
    if ((turn & 3) == 1) {
      Answer(block, turn >> 2, 1);
      turn = WaitForTurn(block, turn, false);
    }
    if ((turn & 3) != 2) continue;
    if (Word(block, kWhat) == 0) RunFromTable(block, honest);
    Clock(block)[0] = 0, Clock(block)[1] = 1;
    Answer(block, turn >> 2, 2);
  }
}
