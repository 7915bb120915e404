// SPDX-License-Identifier: Apache-2.0
#include "hone/agent/kernel/kernel_parents.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include "hone/core/check.h"

namespace hone::agent {
namespace {

struct NicheMark {
  std::string_view word;
  std::string_view name;
};

// Not a judgement: what a source mentions tells well enough which road it takes.
constexpr std::array kNicheMarks = {
    NicheMark{"_mm", "vectors"},          NicheMark{"vector_size", "vectors"},
    NicheMark{"vld1", "vectors"},         NicheMark{"omp simd", "vectors"},
    NicheMark{"std::thread", "threads"},  NicheMark{"pthread", "threads"},
    NicheMark{"omp parallel", "threads"}, NicheMark{"__shared__", "shared"},
    NicheMark{"__shfl", "shuffles"},      NicheMark{"mma", "matrix units"},
    NicheMark{"prefetch", "prefetch"}};

constexpr std::array<std::size_t, 3> kNicheSizes = {1'000, 4'000, 16'000};  // Bytes.

double WorthOf(const std::vector<KernelAttempt>& line, std::size_t first, std::size_t count) {
  double sum = 0;
  for (std::size_t i = first; i < first + count; ++i) sum += line[i].Worth();
  return sum;
}

}  // namespace

std::vector<KernelAttempt> BestWindow(const std::vector<KernelAttempt>& line, std::size_t max) {
  if (line.size() <= max) return line;
  std::size_t best = 0;
  for (std::size_t first = 1; first + max <= line.size(); ++first) {
    if (WorthOf(line, first, max) >= WorthOf(line, best, max)) best = first;
  }
  const auto begin = line.begin() + static_cast<std::ptrdiff_t>(best);
  return {begin, begin + static_cast<std::ptrdiff_t>(max)};
}

std::string NicheOf(const std::string& source) {
  const auto size = std::upper_bound(kNicheSizes.begin(), kNicheSizes.end(), source.size());
  std::string niche = std::to_string(std::distance(kNicheSizes.begin(), size));
  std::string_view last;
  for (const NicheMark& mark : kNicheMarks) {
    if (mark.name == last || source.find(mark.word) == source.npos) continue;
    niche += '+';
    niche += mark.name;
    last = mark.name;
  }
  return niche;
}

void KernelArchive::Add(const KernelAttempt& attempt) {
  if (!attempt.IsAccepted()) return;
  const auto [place, is_new] = best_.try_emplace(NicheOf(attempt.source), attempt);
  if (!is_new && attempt.Worth() > place->second.Worth()) place->second = attempt;
}

const KernelAttempt& KernelArchive::Draw(Rng& rng) const {
  HONE_CHECK(!is_empty());
  const auto one = [&]() -> const KernelAttempt& {
    return std::next(best_.begin(), static_cast<std::ptrdiff_t>(rng.Below(best_.size())))->second;
  };
  const KernelAttempt& first = one();
  const KernelAttempt& second = one();
  return second.Worth() > first.Worth() ? second : first;
}

}  // namespace hone::agent
