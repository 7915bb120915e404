// SPDX-License-Identifier: Apache-2.0
#include "hone/llm/engine/decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "hone/core/check.h"
#include "hone/core/rng.h"
#include "hone/llm/engine/compat.h"
#include "hone/llm/engine/model.h"
#include "hone/llm/engine/sampler.h"

namespace hone::llm {
namespace {

constexpr std::int64_t kStopIds = 8;  // That the device knows of a row; the host knows all.
constexpr std::int64_t kPrefillTokens = 16384;  // In one pass, about.

// Numbers of a row on the device, as rows of one matrix.
enum WholeNumber : std::int64_t { kId, kPosition, kRemaining, kIsDone, kTopK, kFirstStop };
constexpr std::int64_t kWholeNumbers = kFirstStop + kStopIds;
enum Fraction : std::int64_t {
  kTemperature,
  kTopP,
  kMinP,
  kRepetition,
  kPresence,
  kFrequency,
  kFractions
};

// What the host knows of a row.
struct Row {
  bool is_used = false;
  bool is_done = true;
  TokenId id = 0;
  std::int64_t position = 0;  // Of `id`, which is not in the cache yet.
  std::int64_t remaining = 0;
  std::int64_t drawn = 0;
  Sampling sampling;
  Rng random{0};
  std::vector<TokenId> stop_ids;
  std::vector<TokenId> prompt;  // Of a penalised row.
  int top = 0;

  bool Stops(TokenId token) const {
    return std::find(stop_ids.begin(), stop_ids.end(), token) != stop_ids.end();
  }
};

// Few sizes, so that few graphs are recorded: powers of two, and steps of 128 and more.
std::int64_t RowBucket(std::int64_t rows, std::int64_t max) {
  std::int64_t bucket = 1;
  while (bucket < rows) bucket *= 2;
  return std::min(bucket, max);
}
std::int64_t LengthBucket(std::int64_t length, std::int64_t max) {
  std::int64_t step = 128;
  while (length > step * 8) step *= 2;
  return std::min((length + step - 1) / step * step, max);
}

at::Tensor OnHost(const std::vector<TokenId>& ids) {
  at::Tensor tensor = at::empty({static_cast<std::int64_t>(ids.size())}, at::kLong);
  std::copy(ids.begin(), ids.end(), tensor.data_ptr<std::int64_t>());
  return tensor;
}

class TorchDecoder final : public Decoder {
 public:
  TorchDecoder(const Model& model, DecoderSettings settings)
      : model_(model),
        settings_(settings),
        is_on_gpu_(model.placement().is_on_gpu),
        stream_(is_on_gpu_),
        table_(static_cast<std::size_t>(settings.rows)) {
    const at::NoGradGuard no_gradients;
    const ModelConfig& config = model.config();
    const auto options = model.options();
    const std::vector<std::int64_t> shape = {config.num_layers, settings.rows, config.num_kv_heads,
                                             settings.max_length, config.head_dim};
    keys_ = at::zeros(shape, options);
    values_ = at::zeros(shape, options);
    std::tie(cos_, sin_) = model.RotaryTables(settings.max_length);
    const std::int64_t steps = settings.steps_per_read;
    whole_ = at::zeros({kWholeNumbers, settings.rows}, options.dtype(at::kLong));
    fractions_ = at::zeros({kFractions, settings.rows}, options.dtype(at::kFloat));
    uniforms_ = at::zeros({steps, settings.rows}, options.dtype(at::kDouble));
    step_ = at::zeros({1}, options.dtype(at::kLong));
    out_ids_ = at::zeros({steps, settings.rows}, options.dtype(at::kLong));
    out_logs_ = at::zeros({steps, 2, settings.rows}, options.dtype(at::kFloat));
    out_top_ids_ = at::zeros({steps, settings.rows, kMaxTopLogProbs}, options.dtype(at::kLong));
    out_top_logs_ = at::zeros({steps, settings.rows, kMaxTopLogProbs}, options.dtype(at::kFloat));
  }

  const DecoderSettings& settings() const override { return settings_; }

  void Start(std::span<const RowStart> starts) override {
    const at::NoGradGuard no_gradients;
    Compute(starts);
    for (const RowStart& start : starts) {
      if (start.same_as) CopyCache(*start.same_as, start.row, Cached(start));
      PutRow(start);
    }
    is_changed_ = true;
  }

  void Free(std::int64_t row) override {
    At(row) = Row{};
    is_changed_ = true;
  }

  void Move(std::int64_t from, std::int64_t to) override {
    HONE_CHECK(!At(to).is_used && At(from).is_used);
    const at::NoGradGuard no_gradients;
    CopyCache(from, to, At(from).position);
    if (counts_.defined()) {
      counts_.select(0, to).copy_(counts_.select(0, from));
      is_in_prompt_.select(0, to).copy_(is_in_prompt_.select(0, from));
    }
    At(to) = std::exchange(At(from), Row{});
    is_changed_ = true;
  }

  std::vector<std::vector<SampledToken>> Step() override {
    const at::NoGradGuard no_gradients;
    std::vector<std::vector<SampledToken>> sampled(table_.size());
    const StepPlan plan = PlanSteps();
    if (plan.steps == 0) return sampled;
    Upload(plan.steps);
    auto& graph = graphs_[{plan.rows, plan.length, plan.parts}];
    if (!graph) graph = MakeStepGraph(is_on_gpu_, settings_.uses_graphs);
    for (std::int64_t i = 0; i < plan.steps; ++i) {
      graph->Run([this, &plan] { OneStep(plan); });
    }
    Download(plan, sampled);
    return sampled;
  }

 private:
  struct StepPlan {
    std::int64_t steps = 0;
    std::int64_t rows = 0;
    std::int64_t length = 0;
    SamplerParts parts;
  };

  Row& At(std::int64_t row) { return table_[static_cast<std::size_t>(row)]; }

  // The last token of a prompt is the first step's, so that all sampling is in steps.
  static std::int64_t Cached(const RowStart& start) {
    return static_cast<std::int64_t>(start.prompt.size()) - 1;
  }

  void PutRow(const RowStart& start) {
    Row& row = At(start.row);
    HONE_CHECK(!row.is_used && !start.prompt.empty());
    HONE_CHECK(static_cast<std::int64_t>(start.prompt.size()) <= settings_.max_length);
    row.is_used = true;
    row.is_done = false;
    row.id = start.prompt.back();
    row.position = Cached(start);
    // The last token that is sampled need not be in the cache.
    row.remaining = std::min(start.max_tokens, settings_.max_length - row.position);
    row.drawn = 0;
    row.sampling = start.sampling;
    row.random = Rng(start.stream);
    row.stop_ids.assign(start.stop_ids.begin(), start.stop_ids.end());
    row.top = start.top_log_probabilities;
    if (!row.sampling.is_penalised()) return;
    if (!counts_.defined()) {
      const std::vector<std::int64_t> shape = {settings_.rows, VocabSize()};
      counts_ = at::zeros(shape, whole_.options().dtype(at::kFloat));
      is_in_prompt_ = at::zeros(shape, whole_.options().dtype(at::kBool));
    }
    counts_.select(0, start.row).zero_();
    at::Tensor seen = is_in_prompt_.select(0, start.row).zero_();
    std::vector<TokenId> ids(start.prompt.begin(), start.prompt.end());
    std::erase_if(ids, [this](TokenId id) { return id >= VocabSize(); });
    seen.index_fill_(0, OnHost(ids).to(whole_.device()), 1);
  }

  std::int64_t VocabSize() const {
    const std::int64_t all = model_.config().vocab_size;
    return settings_.vocab_size > 0 ? std::min(settings_.vocab_size, all) : all;
  }

  void CopyCache(std::int64_t from, std::int64_t to, std::int64_t length) {
    if (length == 0) return;
    for (const at::Tensor& cache : {keys_, values_}) {
      cache.select(1, to).narrow(2, 0, length).copy_(cache.select(1, from).narrow(2, 0, length));
    }
  }

  // Prompts of about the same length together, filled up on the right: what is there is never
  // seen, and overwritten.
  void Compute(std::span<const RowStart> starts) {
    std::map<std::int64_t, std::vector<const RowStart*>> by_length;
    for (const RowStart& start : starts) {
      if (!start.same_as && Cached(start) > 0) {
        by_length[LengthBucket(Cached(start), settings_.max_length)].push_back(&start);
      }
    }
    for (const auto& [length, group] : by_length) {
      const auto at_once =
          static_cast<std::size_t>(std::max<std::int64_t>(1, kPrefillTokens / length));
      for (std::size_t begin = 0; begin < group.size(); begin += at_once) {
        const std::size_t count = std::min(at_once, group.size() - begin);
        ComputeTogether(std::span(group).subspan(begin, count));
      }
    }
  }

  void ComputeTogether(std::span<const RowStart* const> group) {
    std::int64_t length = 0;
    for (const RowStart* start : group) length = std::max(length, Cached(*start));
    const auto count = static_cast<std::int64_t>(group.size());
    at::Tensor ids = at::zeros({count, length}, at::kLong);
    at::Tensor rows = at::zeros({count}, at::kLong);
    for (std::int64_t i = 0; i < count; ++i) {
      const RowStart& start = *group[static_cast<std::size_t>(i)];
      std::copy_n(start.prompt.begin(), Cached(start), ids.data_ptr<std::int64_t>() + i * length);
      rows.data_ptr<std::int64_t>()[i] = start.row;
    }
    rows = rows.to(whole_.device());
    PassContext context;
    context.cos = cos_.narrow(0, 0, length).view({1, 1, length, -1});
    context.sin = sin_.narrow(0, 0, length).view({1, 1, length, -1});
    context.attend = [&](std::int64_t layer, const at::Tensor& query, const at::Tensor& key,
                         const at::Tensor& value) {
      keys_.select(0, layer).narrow(2, 0, length).index_copy_(0, rows, key.contiguous());
      values_.select(0, layer).narrow(2, 0, length).index_copy_(0, rows, value.contiguous());
      return CausalAttention(query, key, value);
    };
    model_.Hidden(ids.to(whole_.device()), context);
  }

  StepPlan PlanSteps() {
    StepPlan plan;
    std::int64_t last_row = -1;
    std::int64_t furthest = 0;
    std::int64_t longest = 0;
    for (std::int64_t i = 0; i < settings_.rows; ++i) {
      const Row& row = At(i);
      if (!row.is_used || row.is_done) continue;
      last_row = i;
      furthest = std::max(furthest, row.position);
      longest = std::max(longest, row.remaining);
      plan.parts.filters |= row.sampling.is_filtered() && row.sampling.temperature > 0;
      plan.parts.penalises |= row.sampling.is_penalised();
      plan.parts.lists_top |= row.top > 0;
    }
    plan.steps = std::min(settings_.steps_per_read, longest);
    plan.rows = RowBucket(last_row + 1, settings_.rows);
    plan.length =
        LengthBucket(std::min(furthest + plan.steps, settings_.max_length), settings_.max_length);
    return plan;
  }

  // The host's view of all rows, if it differs from the device's, and the random numbers of the
  // steps to come.
  void Upload(std::int64_t steps) {
    if (is_changed_) {
      at::Tensor whole = at::full({kWholeNumbers, settings_.rows}, -1, at::kLong);
      at::Tensor fractions = at::zeros({kFractions, settings_.rows}, at::kFloat);
      for (std::int64_t i = 0; i < settings_.rows; ++i) PutOnHost(i, whole, fractions);
      whole_.copy_(whole);
      fractions_.copy_(fractions);
      is_changed_ = false;
    }
    at::Tensor uniforms = at::zeros({settings_.steps_per_read, settings_.rows}, at::kDouble);
    auto* number = uniforms.data_ptr<double>();
    for (std::int64_t i = 0; i < settings_.rows; ++i) {
      Row& row = At(i);
      if (!row.is_used || row.is_done || row.sampling.temperature <= 0) continue;
      for (std::int64_t step = 0; step < steps; ++step) {
        Rng stream = row.random.Split(static_cast<std::uint64_t>(row.drawn + step));
        number[step * settings_.rows + i] = stream.Uniform();
      }
    }
    uniforms_.copy_(uniforms);
    step_.zero_();
  }

  void PutOnHost(std::int64_t i, at::Tensor& whole, at::Tensor& fractions) {
    const Row& row = At(i);
    const auto put = [&](std::int64_t which, std::int64_t value) {
      whole.data_ptr<std::int64_t>()[which * settings_.rows + i] = value;
    };
    const auto put_fraction = [&](std::int64_t which, double value) {
      fractions.data_ptr<float>()[which * settings_.rows + i] = static_cast<float>(value);
    };
    put(kId, row.id);
    put(kPosition, std::min(row.position, settings_.max_length - 1));
    put(kRemaining, row.remaining);
    put(kIsDone, row.is_done ? 1 : 0);
    put(kTopK, row.sampling.top_k);
    for (std::size_t k = 0; k < std::min<std::size_t>(row.stop_ids.size(), kStopIds); ++k) {
      put(kFirstStop + static_cast<std::int64_t>(k), row.stop_ids[k]);
    }
    put_fraction(kTemperature, row.sampling.temperature);
    put_fraction(kTopP, row.sampling.top_p);
    put_fraction(kMinP, row.sampling.min_p);
    put_fraction(kRepetition, row.sampling.repetition_penalty);
    put_fraction(kPresence, row.sampling.presence_penalty);
    put_fraction(kFrequency, row.sampling.frequency_penalty);
  }

  at::Tensor Logits(const StepPlan& plan, const at::Tensor& positions) {
    const std::int64_t rows = plan.rows;
    const at::Tensor ids = whole_.select(0, kId).narrow(0, 0, rows);
    PassContext context;
    context.cos = cos_.index_select(0, positions).view({rows, 1, 1, -1});
    context.sin = sin_.index_select(0, positions).view({rows, 1, 1, -1});
    const at::Tensor is_later =
        at::arange(plan.length, positions.options()) > positions.unsqueeze(1);
    const at::Tensor mask = at::zeros({rows, 1, 1, plan.length}, keys_.options())
                                .masked_fill_(is_later.view({rows, 1, 1, plan.length}),
                                              -std::numeric_limits<double>::infinity());
    context.attend = [&](std::int64_t layer, const at::Tensor& query, const at::Tensor& key,
                         const at::Tensor& value) {
      at::Tensor keys = keys_.select(0, layer).narrow(0, 0, rows);
      at::Tensor values = values_.select(0, layer).narrow(0, 0, rows);
      StoreAt(keys, values, key, value, positions);
      return CachedAttention(query, keys.narrow(2, 0, plan.length),
                             values.narrow(2, 0, plan.length), mask);
    };
    const at::Tensor hidden = model_.Hidden(ids.view({rows, 1}), context);
    return model_.Logits(hidden.squeeze(1)).narrow(1, 0, VocabSize());
  }

  SamplerRows RowsOf(const StepPlan& plan) {
    const auto fraction = [&](std::int64_t which) {
      return fractions_.select(0, which).narrow(0, 0, plan.rows);
    };
    SamplerRows rows;
    rows.uniform = uniforms_.index_select(0, step_).squeeze(0).narrow(0, 0, plan.rows);
    rows.temperature = fraction(kTemperature);
    rows.top_k = whole_.select(0, kTopK).narrow(0, 0, plan.rows);
    rows.top_p = fraction(kTopP);
    rows.min_p = fraction(kMinP);
    rows.repetition_penalty = fraction(kRepetition);
    rows.presence_penalty = fraction(kPresence);
    rows.frequency_penalty = fraction(kFrequency);
    if (plan.parts.penalises) {
      rows.is_in_prompt = is_in_prompt_.narrow(0, 0, plan.rows);
      rows.counts = counts_.narrow(0, 0, plan.rows);
    }
    return rows;
  }

  // What a graph records: no value goes to the host, and every result to a place that stays.
  void OneStep(const StepPlan& plan) {
    const auto whole = [&](std::int64_t which) {
      return whole_.select(0, which).narrow(0, 0, plan.rows);
    };
    const at::Tensor positions = whole(kPosition);
    const SampledRows sampled = SampleRows(Logits(plan, positions), RowsOf(plan), plan.parts);
    const auto keep = [&](at::Tensor& place, const at::Tensor& what) {
      place.narrow(1, 0, plan.rows).index_copy_(0, step_, what.unsqueeze(0));
    };
    keep(out_ids_, sampled.ids);
    out_logs_.narrow(2, 0, plan.rows)
        .index_copy_(
            0, step_,
            at::stack({sampled.log_probability, sampled.sampled_log_probability}).unsqueeze(0));
    if (plan.parts.lists_top) {
      keep(out_top_ids_, sampled.top_ids);
      keep(out_top_logs_, sampled.top_values);
    }
    const at::Tensor was_done = whole(kIsDone);
    const at::Tensor goes_on = 1 - was_done;
    if (plan.parts.penalises) {
      counts_.narrow(0, 0, plan.rows)
          .scatter_add_(1, sampled.ids.unsqueeze(1), goes_on.unsqueeze(1).to(at::kFloat));
    }
    const at::Tensor stops = whole_.narrow(0, kFirstStop, kStopIds).narrow(1, 0, plan.rows);
    const at::Tensor is_stop = (stops == sampled.ids.unsqueeze(0)).any(0).to(at::kLong);
    const at::Tensor remaining = whole(kRemaining) - goes_on;
    const at::Tensor is_done =
        at::maximum(was_done, at::maximum(is_stop, (remaining <= 0).to(at::kLong)));
    whole(kId).copy_(sampled.ids);
    whole(kPosition).add_(1 - is_done);
    whole(kRemaining).copy_(remaining);
    whole(kIsDone).copy_(is_done);
    step_.add_(1);
  }

  void Download(const StepPlan& plan, std::vector<std::vector<SampledToken>>& sampled) {
    const at::Tensor ids = out_ids_.to(at::kCPU);
    const at::Tensor logs = out_logs_.to(at::kCPU);
    at::Tensor top_ids;
    at::Tensor top_logs;
    if (plan.parts.lists_top) {
      top_ids = out_top_ids_.to(at::kCPU);
      top_logs = out_top_logs_.to(at::kCPU);
    }
    for (std::int64_t i = 0; i < plan.rows; ++i) {
      Row& row = At(i);
      if (!row.is_used) continue;
      for (std::int64_t step = 0; step < plan.steps && !row.is_done; ++step) {
        const std::int64_t at = step * settings_.rows + i;
        SampledToken token;
        token.id = static_cast<TokenId>(ids.data_ptr<std::int64_t>()[at]);
        token.log_probability = logs.data_ptr<float>()[2 * step * settings_.rows + i];
        token.sampled_probability = logs.data_ptr<float>()[(2 * step + 1) * settings_.rows + i];
        for (std::int64_t k = 0; row.top > 0 && k < std::min(row.top, kMaxTopLogProbs); ++k) {
          const std::int64_t place = at * kMaxTopLogProbs + k;
          const auto id = static_cast<TokenId>(top_ids.data_ptr<std::int64_t>()[place]);
          if (id >= 0) token.top.emplace_back(id, top_logs.data_ptr<float>()[place]);
        }
        Advance(row, token.id);
        sampled[static_cast<std::size_t>(i)].push_back(std::move(token));
      }
    }
  }

  // The same as the device did.
  void Advance(Row& row, TokenId id) {
    ++row.drawn;
    --row.remaining;
    row.id = id;
    row.is_done = row.remaining <= 0 || row.Stops(id);
    if (row.is_done) {
      is_changed_ = true;  // There may be more stop ids than the device knows.
    } else {
      ++row.position;
    }
  }

  const Model& model_;
  const DecoderSettings settings_;
  const bool is_on_gpu_;
  const StreamScope stream_;
  std::vector<Row> table_;
  bool is_changed_ = true;  // The host's view is ahead of the device's.

  at::Tensor keys_;  // [layers, rows, kv_heads, max_length, head_dim]
  at::Tensor values_;
  at::Tensor cos_;
  at::Tensor sin_;
  at::Tensor whole_;  // [kWholeNumbers, rows]
  at::Tensor fractions_;
  at::Tensor uniforms_;  // [steps, rows]
  at::Tensor step_;
  at::Tensor out_ids_;   // [steps, rows]
  at::Tensor out_logs_;  // [steps, 2, rows]
  at::Tensor out_top_ids_;
  at::Tensor out_top_logs_;
  at::Tensor counts_;
  at::Tensor is_in_prompt_;
  std::map<std::tuple<std::int64_t, std::int64_t, SamplerParts>, std::unique_ptr<StepGraph>>
      graphs_;
};

}  // namespace

Result<std::unique_ptr<Decoder>> MakeDecoder(const LanguageModel& model,
                                             DecoderSettings settings) try {
  settings.max_length = std::min(settings.max_length, model.config().max_positions);
  // Kernels of attention want rows of a mask that begin at multiples of this.
  if (model.placement().is_on_gpu) settings.max_length = settings.max_length / 8 * 8;
  if (settings.rows < 1 || settings.max_length < 2 || settings.steps_per_read < 1) {
    return Error{Errc::kInvalidArgument,
                 "a decoder needs at least one row, a length of two and one step"};
  }
  return std::unique_ptr<Decoder>(std::make_unique<TorchDecoder>(model.model(), settings));
} catch (const std::exception& problem) {
  return Error{Errc::kUnavailable, fmt::format("the cache of {} rows of {} tokens: {}",
                                               settings.rows, settings.max_length, problem.what())};
}

}  // namespace hone::llm
