// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/sampler.h"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "hone/llm/serve/engine_words.h"

namespace hone::llm {
namespace {

constexpr std::int64_t kBlock = 128;

at::Tensor Column(const at::Tensor& row_values) { return row_values.unsqueeze(-1); }

at::Tensor At(const at::Tensor& values, const at::Tensor& index) {
  return values.gather(-1, Column(index)).squeeze(-1);
}

// How many of the sums are not over the target: the place in which it falls. Never a place that
// adds nothing, whatever was rounded.
at::Tensor PlaceOf(const at::Tensor& sums, const at::Tensor& target) {
  const at::Tensor last = sums.narrow(-1, sums.size(-1) - 1, 1);
  return at::minimum((sums <= target).sum(-1), (sums < last).sum(-1));
}

// The inverse of the distribution function, in two levels: first among sums of blocks, then within
// one. A running sum over the whole vocabulary would be slower and less exact.
at::Tensor DrawByBlocks(const at::Tensor& weights, const at::Tensor& uniform) {
  const std::int64_t vocab = weights.size(-1);
  const std::int64_t blocks = (vocab + kBlock - 1) / kBlock;
  const at::Tensor padded = blocks * kBlock == vocab
                                ? weights
                                : at::constant_pad_nd(weights, {0, blocks * kBlock - vocab}, 0);
  const at::Tensor split = padded.view({-1, blocks, kBlock});
  const at::Tensor sums = split.sum({-1}, false, at::kDouble).cumsum(-1);
  const at::Tensor target = Column(uniform) * sums.narrow(-1, blocks - 1, 1);
  const at::Tensor block = PlaceOf(sums, target);
  const at::Tensor before = at::where(
      Column(block) > 0, sums.gather(-1, Column(block - 1).clamp_min(0)), at::zeros_like(target));
  const at::Tensor inside = split.gather(1, block.view({-1, 1, 1}).expand({-1, 1, kBlock}))
                                .squeeze(1)
                                .to(at::kDouble)
                                .cumsum(-1);
  return block * kBlock + PlaceOf(inside, target - before);
}

at::Tensor Penalised(const at::Tensor& logits, const SamplerRows& rows) {
  const at::Tensor was_sampled = rows.counts > 0;
  const at::Tensor penalty = Column(rows.repetition_penalty);
  const at::Tensor lowered = at::where(logits > 0, logits / penalty, logits * penalty);
  const at::Tensor repeated = at::where(rows.is_in_prompt | was_sampled, lowered, logits);
  return repeated - Column(rows.presence_penalty) * was_sampled -
         Column(rows.frequency_penalty) * rows.counts;
}

struct Drawn {
  at::Tensor ids;
  at::Tensor log_probability;
};

Drawn DrawPlain(const at::Tensor& scaled, const SamplerRows& rows) {
  const at::Tensor weights = (scaled - scaled.amax({-1}, true)).exp();
  const at::Tensor ids = DrawByBlocks(weights, rows.uniform);
  return {ids, At(scaled, ids) - scaled.logsumexp({-1})};
}

// top_k first, top_p on what it leaves, min_p by the best one.
Drawn DrawFiltered(const at::Tensor& scaled, const SamplerRows& rows) {
  const auto [values, order] = scaled.sort(-1, true);
  const at::Tensor rank = at::arange(scaled.size(-1), scaled.options().dtype(at::kLong));
  const at::Tensor top_k = Column(rows.top_k);
  at::Tensor weights = (values - values.narrow(-1, 0, 1)).exp();
  weights = weights * ((rank < top_k) | (top_k <= 0));
  const at::Tensor shares = weights / weights.sum({-1}, true, at::kDouble);
  const at::Tensor before = shares.cumsum(-1) - shares;
  const at::Tensor is_kept =
      ((before < Column(rows.top_p)) & (weights >= Column(rows.min_p))) | (rank < 1);
  weights = weights * is_kept;
  const at::Tensor sums = weights.to(at::kDouble).cumsum(-1);
  const at::Tensor total = sums.narrow(-1, sums.size(-1) - 1, 1);
  const at::Tensor place = PlaceOf(sums, Column(rows.uniform) * total);
  return {At(order, place),
          At(values - values.narrow(-1, 0, 1), place) - total.squeeze(-1).log().to(at::kFloat)};
}

// A row draws in the same way whoever else wants a filter.
Drawn Draw(const at::Tensor& scaled, const SamplerRows& rows, bool filters) {
  Drawn plain = DrawPlain(scaled, rows);
  if (!filters) return plain;
  const Drawn filtered = DrawFiltered(scaled, rows);
  const at::Tensor is_filtered = (rows.top_k > 0) | (rows.top_p < 1) | (rows.min_p > 0);
  return {at::where(is_filtered, filtered.ids, plain.ids),
          at::where(is_filtered, filtered.log_probability, plain.log_probability)};
}

}  // namespace

SampledRows SampleRows(const at::Tensor& logits, const SamplerRows& rows, SamplerParts parts) {
  const at::Tensor raw = logits.to(at::kFloat);
  const at::Tensor raw_sum = raw.logsumexp({-1});
  const at::Tensor adjusted = parts.penalises ? Penalised(raw, rows) : raw;
  const at::Tensor is_greedy = rows.temperature <= 0;
  const at::Tensor temperature =
      at::where(is_greedy, at::ones_like(rows.temperature), rows.temperature);
  const at::Tensor scaled = adjusted / Column(temperature);
  const Drawn drawn = Draw(scaled, rows, parts.filters);

  SampledRows sampled;
  sampled.ids = at::where(is_greedy, adjusted.argmax(-1), drawn.ids);
  sampled.log_probability = At(raw, sampled.ids) - raw_sum;
  sampled.sampled_log_probability =
      at::where(is_greedy, at::zeros_like(drawn.log_probability), drawn.log_probability);
  if (parts.lists_top) {
    const std::int64_t count = std::min<std::int64_t>(kMaxTopLogProbs, raw.size(-1));
    auto [values, ids] = raw.topk(count, -1);
    const std::int64_t missing = kMaxTopLogProbs - count;
    sampled.top_ids = at::constant_pad_nd(ids, {0, missing}, -1);
    sampled.top_values = at::constant_pad_nd(values - Column(raw_sum), {0, missing}, 0);
  }
  return sampled;
}

}  // namespace hone::llm
