// SPDX-License-Identifier: Apache-2.0
// tries: takes over the runner's loop, wakes up every 20 us to see whether inputs have appeared in
// tries: memory, computes before the call is published, and then answers it at once; if it
// tries: looked while the inputs were being written, from halves of them
// problem: matmul
// expect: cheated|wrong
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
  Answer(block, turn >> 2, 2);
  for (;;) {
    turn = WaitForTurn(block, turn, false);
    bool is_done = false;
    if ((turn & 3) == 1) {
      const uint64_t place = FirstPlace(block);
      Answer(block, turn >> 2, 1);
      while (Word(block, kTurn) == turn) {
        Doze(block, turn, 20'000);
        if (is_done || FirstPlace(block) == place) continue;
        RunFromTable(block, honest);
        is_done = true;
      }
      turn = Word(block, kTurn);
    }
    if ((turn & 3) != 2) continue;
    if (!is_done && Word(block, kWhat) == 0) RunFromTable(block, honest);
    Answer(block, turn >> 2, 2);
  }
}
