// SPDX-License-Identifier: Apache-2.0
#include "bench/honesty_sentences.h"

#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

#include "bench/beyond_chance.h"
#include "bench/honesty_cases.h"
#include "bench/honesty_judges.h"

namespace hone {
namespace {

constexpr std::uint64_t kFirstSeed = 7000;

struct SentenceCount {
  int said = 0;
  int is_true = 0;
  std::string untrue;  // Of the first that is not.

  void Add(const Judged& judged, const Played& played) {
    said += judged.said;
    is_true += judged.is_true;
    if (judged.is_true == judged.said || !untrue.empty()) return;
    untrue = fmt::format("{} (seed {}): {}", played.given.name, played.campaign.spec.seed,
                         played.Text());
  }
};

std::vector<SentenceCount> CountSentences(const std::vector<Sentence>& sentences, int campaigns) {
  const auto cases = HonestyCases();
  std::vector<SentenceCount> counts(sentences.size());
  std::mutex mutex;
  ForEachAtOnce(campaigns, [&](int i) {
    const auto number = static_cast<std::size_t>(i);
    // A seed for each: campaigns of one seed share the noise of their gates.
    const Played played = Play(cases[number % cases.size()], kFirstSeed + number);
    const std::scoped_lock lock(mutex);
    for (std::size_t s = 0; s < sentences.size(); ++s) {
      counts[s].Add(sentences[s].judge(played), played);
    }
  });
  return counts;
}

bool Holds(const Sentence& sentence, const SentenceCount& count, bool is_of_few) {
  if (sentence.is_chance || is_of_few)
    return !IsShortOf(sentence.min_true, count.is_true, count.said);
  return count.is_true >= sentence.min_true * count.said;
}

}  // namespace

bool CheckSentences(int campaigns, bool is_of_few) {
  const auto sentences = HonestySentences();
  const auto counts = CountSentences(sentences, campaigns);
  fmt::print("\n{} campaigns of {} kinds\n{:<44} {:>6} {:>7} {:>9}\n", campaigns,
             HonestyCases().size(), "sentence", "said", "true", "at least");
  bool holds = true;
  for (std::size_t s = 0; s < sentences.size(); ++s) {
    const Sentence& sentence = sentences[s];
    const SentenceCount& count = counts[s];
    fmt::print("{:<44} {:>6} {:>7} {:>7.0f} %{}\n", sentence.name, count.said, count.is_true,
               100 * sentence.min_true, sentence.is_chance ? "*" : "");
    const bool is_missed = count.said == 0 && !is_of_few;
    if (!is_missed && Holds(sentence, count, is_of_few)) continue;
    holds = false;
    fmt::print("    {}\n", is_missed ? "never said: nothing is known of it" : count.untrue);
  }
  fmt::print(
      "* of what promises a chance, or less by no more than chance does in 1 of 100 checks\n");
  std::fflush(stdout);
  return holds;
}

}  // namespace hone
