// SPDX-License-Identifier: Apache-2.0
// hone: scratch scores bytes(8 * h * s * s)
// hone: launch score grid((s + 63) / 64, s, h) block(64) args(query, key, scores, s, d)
// hone: launch soften grid((h * s + 63) / 64) block(64) args(scores, h, s)
// hone: launch mix grid((d + 31) / 32, s, h) block(32) args(scores, value, out, s, d)

// Of every place (row) with all until it (column).
extern "C" __global__ void score(const scalar* query, const scalar* key, scalar* scores, int64_t s,
                                 int64_t d) {
  const int64_t head = blockIdx.z;
  const int64_t row = blockIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column > row) return;
  scalar sum = 0;
  for (int64_t i = 0; i < d; ++i) {
    sum += query[(head * s + row) * d + i] * key[(head * s + column) * d + i];
  }
  scores[(head * s + row) * s + column] = sum / sqrt(scalar(d));
}

extern "C" __global__ void soften(scalar* scores, int64_t h, int64_t s) {
  const int64_t at = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (at >= h * s) return;
  scalar* row = scores + at * s;
  const int64_t seen = at % s + 1;
  scalar largest = row[0];
  for (int64_t i = 1; i < seen; ++i) largest = row[i] > largest ? row[i] : largest;
  scalar sum = 0;
  for (int64_t i = 0; i < seen; ++i) sum += exp(row[i] - largest);
  for (int64_t i = 0; i < seen; ++i) row[i] = exp(row[i] - largest) / sum;
}

extern "C" __global__ void mix(const scalar* scores, const scalar* value, scalar* out, int64_t s,
                               int64_t d) {
  const int64_t head = blockIdx.z;
  const int64_t row = blockIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= d) return;
  scalar sum = 0;
  for (int64_t i = 0; i <= row; ++i) {
    sum += scores[(head * s + row) * s + i] * value[(head * s + i) * d + column];
  }
  out[(head * s + row) * d + column] = sum;
}
