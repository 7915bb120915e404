// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/gpu/known_answers_for_test.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numeric>

namespace hone::compute {
namespace {

using Arrays = std::vector<Numbers>;

// The sizes and inputs of one call.
class Asked {
 public:
  Asked(const Sizes& sizes, const Arrays& inputs) : sizes_(sizes), inputs_(inputs) {}

  std::size_t Size(const char* name) const { return static_cast<std::size_t>(sizes_.at(name)); }
  const Numbers& In(std::size_t which) const { return inputs_.at(which); }

 private:
  const Sizes& sizes_;
  const Arrays& inputs_;
};

std::size_t Whole(double number) { return static_cast<std::size_t>(std::llround(number)); }

Numbers Row(const Numbers& matrix, std::size_t row, std::size_t columns) {
  const auto begin = matrix.begin() + static_cast<std::ptrdiff_t>(row * columns);
  return {begin, begin + static_cast<std::ptrdiff_t>(columns)};
}

void Append(Numbers& all, const Numbers& more) { all.insert(all.end(), more.begin(), more.end()); }

double MeanOf(const Numbers& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// By the complementary error function, which keeps its digits where the other loses them.
double GeluOf(double x) { return x / 2 * std::erfc(-x / std::sqrt(2.0)); }

Numbers SoftmaxOf(Numbers values) {
  double sum = 0;
  const double largest = *std::ranges::max_element(values);
  for (double& value : values) sum += value = std::exp(value - largest);
  for (double& value : values) value /= sum;
  return values;
}

// Row by row of b, as the innermost loop of a processor likes it.
Numbers ProductOf(const Numbers& a, const Numbers& b, std::size_t m, std::size_t n, std::size_t k) {
  Numbers out(m * n);
  for (std::size_t row = 0; row < m; ++row) {
    for (std::size_t i = 0; i < k; ++i) {
      const double factor = a[row * k + i];
      for (std::size_t column = 0; column < n; ++column) {
        out[row * n + column] += factor * b[i * n + column];
      }
    }
  }
  return out;
}

Numbers TransposeOf(const Numbers& x, std::size_t m, std::size_t n) {
  Numbers out(m * n);
  for (std::size_t i = 0; i < x.size(); ++i) out[i % n * m + i / n] = x[i];
  return out;
}

Arrays Saxpy(const Asked& asked) {
  Numbers out = asked.In(2);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += asked.In(0)[0] * asked.In(1)[i];
  return {out};
}

Arrays Softmax(const Asked& asked) {
  Numbers out;
  for (std::size_t row = 0; row < asked.Size("m"); ++row) {
    Append(out, SoftmaxOf(Row(asked.In(0), row, asked.Size("n"))));
  }
  return {out};
}

Arrays Sum(const Asked& asked) {
  const Numbers& x = asked.In(0);
  return {{std::accumulate(x.rbegin(), x.rend(), 0.0)}};
}

Arrays Transpose(const Asked& asked) {
  return {TransposeOf(asked.In(0), asked.Size("m"), asked.Size("n"))};
}

Arrays Matmul(const Asked& asked) {
  return {ProductOf(asked.In(0), asked.In(1), asked.Size("m"), asked.Size("n"), asked.Size("k"))};
}

Arrays Gelu(const Asked& asked) {
  Numbers out = asked.In(0);
  std::ranges::transform(out, out.begin(), GeluOf);
  return {out};
}

Arrays Argmax(const Asked& asked) {
  Numbers place;
  for (std::size_t row = 0; row < asked.Size("m"); ++row) {
    const Numbers values = Row(asked.In(0), row, asked.Size("n"));
    place.push_back(static_cast<double>(std::ranges::max_element(values) - values.begin()));
  }
  return {place};
}

Arrays Layernorm(const Asked& asked) {
  const std::size_t n = asked.Size("n");
  Numbers out;
  for (std::size_t row = 0; row < asked.Size("m"); ++row) {
    Numbers values = Row(asked.In(0), row, n);
    const double mean = MeanOf(values);
    for (double& value : values) value -= mean;
    const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-5);
    for (std::size_t i = 0; i < n; ++i) {
      out.push_back(std::fma(values[i] * scale, asked.In(1)[i], asked.In(2)[i]));
    }
  }
  return {out};
}

Arrays RmsnormResidual(const Asked& asked) {
  const std::size_t n = asked.Size("n");
  Numbers sum = asked.In(0);
  std::ranges::transform(sum, asked.In(1), sum.begin(), std::plus<>());
  Numbers out;
  for (std::size_t row = 0; row < asked.Size("m"); ++row) {
    const Numbers values = Row(sum, row, n);
    const double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
    const double scale = 1 / std::sqrt(squares / static_cast<double>(n) + 1e-6);
    for (std::size_t i = 0; i < n; ++i) out.push_back(values[i] * scale * asked.In(2)[i]);
  }
  return {sum, out};
}

Arrays LinearGelu(const Asked& asked) {
  const std::size_t n = asked.Size("n");
  const std::size_t k = asked.Size("k");
  Numbers out = ProductOf(asked.In(0), TransposeOf(asked.In(1), n, k), asked.Size("m"), n, k);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = GeluOf(out[i] + asked.In(2)[i % n]);
  return {out};
}

// Of one place, to the first `seen` of those whose keys and values begin at `first` (in rows of d).
Numbers AttendTo(const Numbers& query, const Asked& asked, std::size_t first, std::size_t seen) {
  const std::size_t d = query.size();
  Numbers weights(seen);
  for (std::size_t i = 0; i < seen; ++i) {
    const Numbers key = Row(asked.In(1), first + i, d);
    weights[i] = std::inner_product(key.begin(), key.end(), query.begin(), 0.0) *
                 std::pow(static_cast<double>(d), -0.5);
  }
  weights = SoftmaxOf(weights);
  Numbers out(d);
  for (std::size_t i = 0; i < seen; ++i) {
    for (std::size_t j = 0; j < d; ++j) out[j] += weights[i] * asked.In(2)[(first + i) * d + j];
  }
  return out;
}

Arrays Attention(const Asked& asked) {
  const std::size_t s = asked.Size("s");
  Numbers out;
  for (std::size_t place = 0; place < asked.Size("h") * s; ++place) {
    const Numbers query = Row(asked.In(0), place, asked.Size("d"));
    Append(out, AttendTo(query, asked, place / s * s, place % s + 1));
  }
  return {out};
}

Arrays AttentionDecode(const Asked& asked) {
  const std::size_t h = asked.Size("h");
  const std::size_t s = asked.Size("s");
  Numbers out;
  for (std::size_t head = 0; head < asked.Size("b") * h; ++head) {
    const Numbers query = Row(asked.In(0), head, asked.Size("d"));
    const std::size_t seen = std::min(Whole(asked.In(3)[head / h]), s);
    Append(out, AttendTo(query, asked, head * s, seen));
  }
  return {out};
}

// Every input element is added to the outputs that it has a part in.
Arrays Conv2d(const Asked& asked) {
  const std::size_t ci = asked.Size("ci");
  const std::size_t co = asked.Size("co");
  const std::size_t h = asked.Size("h");
  const std::size_t w = asked.Size("w");
  Numbers out(asked.Size("b") * co * h * w);
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = asked.In(2)[i / (h * w) % co];
  for (std::size_t i = 0; i < asked.In(0).size(); ++i) {
    const std::size_t x = i % w;
    const std::size_t y = i / w % h;
    const std::size_t channel = i / (w * h) % ci;
    const std::size_t image = i / (w * h * ci);
    for (std::size_t to = 0; to < co; ++to) {
      for (std::size_t tap = 0; tap < 9; ++tap) {
        const std::size_t row = y + 1 - tap / 3;  // Below 0 it is larger than any.
        const std::size_t column = x + 1 - tap % 3;
        if (row >= h || column >= w) continue;
        out[((image * co + to) * h + row) * w + column] +=
            asked.In(0)[i] * asked.In(1)[(to * ci + channel) * 9 + tap];
      }
    }
  }
  return {out};
}

Arrays Scan(const Asked& asked) {
  Numbers out(asked.In(0).size());
  std::partial_sum(asked.In(0).begin(), asked.In(0).end(), out.begin());
  return {out};
}

Arrays Sort(const Asked& asked) {
  const Numbers& key = asked.In(0);
  Numbers place(key.size());
  std::iota(place.begin(), place.end(), 0.0);
  std::ranges::stable_sort(place, {}, [&](double at) { return key[Whole(at)]; });
  Numbers sorted;
  for (const double at : place) sorted.push_back(key[Whole(at)]);
  return {sorted, place};
}

Arrays Histogram(const Asked& asked) {
  Numbers count(256);
  for (const double value : asked.In(0)) ++count[Whole(value)];
  return {count};
}

Arrays Spmv(const Asked& asked) {
  constexpr std::size_t kRoom = 64;
  Numbers out(asked.Size("m"));
  for (std::size_t i = 0; i < asked.In(1).size(); ++i) {
    if (i % kRoom >= Whole(asked.In(0)[i / kRoom])) continue;
    out[i / kRoom] += asked.In(2)[i] * asked.In(3)[Whole(asked.In(1)[i])];
  }
  return {out};
}

// The weight as it was before it was packed.
Arrays MatmulInt4(const Asked& asked) {
  const std::size_t n = asked.Size("n");
  const std::size_t k = 64 * asked.Size("g");
  Numbers weight;
  for (const double packed : asked.In(1)) {
    const double upper = std::floor(packed / 16);
    Append(weight, {packed - 16 * upper - 8, upper - 8});
  }
  for (std::size_t i = 0; i < weight.size(); ++i) weight[i] *= asked.In(2)[i / 64];
  return {ProductOf(asked.In(0), TransposeOf(weight, n, k), asked.Size("m"), n, k)};
}

const std::map<std::string, std::function<Arrays(const Asked&)>>& Answers() {
  static const std::map<std::string, std::function<Arrays(const Asked&)>> answers{
      {"gpu_argmax", Argmax},
      {"gpu_attention", Attention},
      {"gpu_attention_decode", AttentionDecode},
      {"gpu_conv2d", Conv2d},
      {"gpu_gelu", Gelu},
      {"gpu_histogram", Histogram},
      {"gpu_layernorm", Layernorm},
      {"gpu_linear_gelu", LinearGelu},
      {"gpu_matmul", Matmul},
      {"gpu_matmul_bf16", Matmul},
      {"gpu_matmul_int4", MatmulInt4},
      {"gpu_matmul_skinny", Matmul},
      {"gpu_rmsnorm_residual", RmsnormResidual},
      {"gpu_saxpy", Saxpy},
      {"gpu_scan", Scan},
      {"gpu_softmax", Softmax},
      {"gpu_sort", Sort},
      {"gpu_spmv", Spmv},
      {"gpu_sum", Sum},
      {"gpu_transpose", Transpose}};
  return answers;
}

}  // namespace

Result<std::vector<Numbers>> KnownAnswer(const std::string& problem, const Sizes& sizes,
                                         const std::vector<Numbers>& inputs) {
  const auto found = Answers().find(problem);
  if (found == Answers().end()) {
    return Error{Errc::kNotFound, fmt::format("{}: its answers are not known", problem)};
  }
  return found->second(Asked(sizes, inputs));
}

}  // namespace hone::compute
