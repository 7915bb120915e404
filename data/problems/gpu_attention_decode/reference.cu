// SPDX-License-Identifier: Apache-2.0
// hone: scratch scores bytes(8 * b * h * s)
// hone: launch score grid((s + 63) / 64, h, b) block(64) args(query, key, length, scores, s, d)
// hone: launch soften grid(h, b) block(1) args(length, scores, s)
// hone: launch mix grid((d + 31) / 32, h, b) block(32) args(scores, value, length, out, s, d)

__device__ int64_t Seen(const int32_t* length, int64_t s) {
  return length[blockIdx.z] < s ? length[blockIdx.z] : s;
}

extern "C" __global__ void score(const scalar* query, const scalar* key, const int32_t* length,
                                 scalar* scores, int64_t s, int64_t d) {
  const int64_t head = int64_t{blockIdx.z} * gridDim.y + blockIdx.y;
  const int64_t place = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (place >= Seen(length, s)) return;
  scalar sum = 0;
  for (int64_t i = 0; i < d; ++i) sum += query[head * d + i] * key[(head * s + place) * d + i];
  scores[head * s + place] = sum / sqrt(scalar(d));
}

extern "C" __global__ void soften(const int32_t* length, scalar* scores, int64_t s) {
  const int64_t seen = length[blockIdx.y] < s ? length[blockIdx.y] : s;
  scalar* row = scores + (int64_t{blockIdx.y} * gridDim.x + blockIdx.x) * s;
  scalar largest = row[0];
  for (int64_t i = 1; i < seen; ++i) largest = row[i] > largest ? row[i] : largest;
  scalar sum = 0;
  for (int64_t i = 0; i < seen; ++i) sum += exp(row[i] - largest);
  for (int64_t i = 0; i < seen; ++i) row[i] = exp(row[i] - largest) / sum;
}

extern "C" __global__ void mix(const scalar* scores, const scalar* value, const int32_t* length,
                               scalar* out, int64_t s, int64_t d) {
  const int64_t head = int64_t{blockIdx.z} * gridDim.y + blockIdx.y;
  const int64_t column = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (column >= d) return;
  const int64_t seen = Seen(length, s);
  scalar sum = 0;
  for (int64_t i = head * s; i < head * s + seen; ++i) sum += scores[i] * value[i * d + column];
  out[head * d + column] = sum;
}
