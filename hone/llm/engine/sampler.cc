// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/sampler.h"

#include <algorithm>
#include <cstdint>

#include "hone/llm/engine/compat.h"
#include "hone/llm/serve/engine_words.h"

namespace hone::llm {
namespace {

at::Tensor Column(const at::Tensor& row_values) { return row_values.unsqueeze(-1); }

at::Tensor At(const at::Tensor& values, const at::Tensor& index) {
  return values.gather(-1, Column(index)).squeeze(-1).to(at::kFloat);
}

// How many of the sums are not over the target: the place in which it falls. Never a place that
// adds nothing, whatever was rounded.
at::Tensor PlaceOf(const at::Tensor& sums, const at::Tensor& target) {
  const at::Tensor last = sums.narrow(-1, sums.size(-1) - 1, 1);
  return at::minimum((sums <= target).sum(-1), (sums < last).sum(-1));
}

struct Drawn {
  at::Tensor ids;
  at::Tensor log_probability;
};

// The inverse of the distribution function, in two levels: first among the sums of blocks, then
// within one. A running sum over the whole vocabulary would be slower and less exact.
Drawn DrawPlain(const at::Tensor& logits, const BlockWeights& weights,
                const at::Tensor& temperature, const at::Tensor& uniform) {
  const at::Tensor sums = weights.sums.cumsum(-1);
  const at::Tensor total = sums.narrow(-1, sums.size(-1) - 1, 1);
  const at::Tensor target = Column(uniform) * total;
  const at::Tensor block = Column(PlaceOf(sums, target));
  const at::Tensor before =
      at::where(block > 0, sums.gather(-1, (block - 1).clamp_min(0)), at::zeros_like(target));
  const at::Tensor places = block * kVocabBlock + at::arange(kVocabBlock, block.options());
  const std::int64_t last = logits.size(-1) - 1;
  const at::Tensor below =
      logits.gather(-1, places.clamp_max(last)).to(at::kFloat) - Column(weights.best);
  const at::Tensor inside =
      ((below / Column(temperature)).exp().to(at::kDouble) * (places <= last)).cumsum(-1);
  const at::Tensor ids = block.squeeze(-1) * kVocabBlock + PlaceOf(inside, target - before);
  const at::Tensor scaled = (At(logits, ids) - weights.best) / temperature;
  return {ids, scaled - total.squeeze(-1).log().to(at::kFloat)};
}

at::Tensor Penalised(const at::Tensor& logits, const SamplerRows& rows) {
  const at::Tensor was_sampled = rows.counts > 0;
  const at::Tensor penalty = Column(rows.repetition_penalty);
  const at::Tensor lowered = at::where(logits > 0, logits / penalty, logits * penalty);
  const at::Tensor repeated = at::where(rows.is_in_prompt | was_sampled, lowered, logits);
  return repeated - Column(rows.presence_penalty) * was_sampled -
         Column(rows.frequency_penalty) * rows.counts;
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
  return {order.gather(-1, Column(place)).squeeze(-1),
          At(values - values.narrow(-1, 0, 1), place) - total.squeeze(-1).log().to(at::kFloat)};
}

// A row draws in the same way whoever else wants a filter.
Drawn Merged(const Drawn& plain, const Drawn& filtered, const SamplerRows& rows) {
  const at::Tensor is_filtered = (rows.top_k > 0) | (rows.top_p < 1) | (rows.min_p > 0);
  return {at::where(is_filtered, filtered.ids, plain.ids),
          at::where(is_filtered, filtered.log_probability, plain.log_probability)};
}

void ListTop(const at::Tensor& logits, const at::Tensor& log_total, SampledRows& sampled) {
  const std::int64_t count = std::min<std::int64_t>(kMaxTopLogProbs, logits.size(-1));
  auto [values, ids] = logits.to(at::kFloat).topk(count, -1);
  const std::int64_t missing = kMaxTopLogProbs - count;
  sampled.top_ids = at::constant_pad_nd(ids, {0, missing}, -1);
  sampled.top_values = at::constant_pad_nd(values - Column(log_total), {0, missing}, 0);
}

}  // namespace

SampledRows SampleRows(const at::Tensor& logits, const SamplerRows& rows, SamplerParts parts) {
  const at::Tensor is_greedy = rows.temperature <= 0;
  const at::Tensor temperature =
      at::where(is_greedy, at::ones_like(rows.temperature), rows.temperature);
  const at::Tensor adjusted = parts.penalises ? Penalised(logits.to(at::kFloat), rows) : logits;
  const BlockWeights weights = WeighBlocks(adjusted, temperature);
  const at::Tensor log_total =
      parts.penalises ? WeighBlocks(logits, temperature).log_total : weights.log_total;
  Drawn drawn = DrawPlain(adjusted, weights, temperature, rows.uniform);
  if (parts.filters) {
    const at::Tensor scaled = adjusted.to(at::kFloat) / Column(temperature);
    drawn = Merged(drawn, DrawFiltered(scaled, rows), rows);
  }
  SampledRows sampled;
  sampled.ids = at::where(is_greedy, weights.best_id, drawn.ids);
  sampled.log_probability = At(logits, sampled.ids) - log_total;
  sampled.sampled_log_probability =
      at::where(is_greedy, at::zeros_like(drawn.log_probability), drawn.log_probability);
  if (parts.lists_top) ListTop(logits, log_total, sampled);
  return sampled;
}

}  // namespace hone::llm
