// SPDX-License-Identifier: Apache-2.0
// knowledge_benchmark build TREE BASE: makes the base of a kernel tree and prints what that took.
// knowledge_benchmark ask BASE QUESTIONS ROUNDS: asks every question of a file and prints, as JSON,
// at which place the right passage came and how long each answer took.
// knowledge_benchmark show BASE QUESTIONS: the first hits of each question whose right passage is
// not among the first five. Not for the questions that were never tuned with.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/benchmark_main.h"
#include "hone/agent/knowledge/knowledge_search.h"
#include "hone/app/knowledge/knowledge_here.h"
#include "hone/base/clock.h"
#include "hone/base/file.h"
#include "hone/base/json/json.h"

namespace hone {
namespace {

using agent::KnowledgeHit;
using Timer = std::chrono::steady_clock;

constexpr std::size_t kShown = 5;
constexpr char kArch[] = "x86_64";

template <typename T>
T Must(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().message);
  return std::move(*result);
}

struct AskedQuestion {
  std::string text;
  std::vector<std::string> expects;  // Names, or files of the documentation with #part of a title.
};

std::vector<AskedQuestion> ReadQuestions(const std::string& path) {
  const Json json = Must(ParseJson(Must(ReadFile(path)), path));
  JsonReader reader(json, path);
  std::vector<AskedQuestion> questions;
  for (JsonReader& item : reader.At("questions").Items()) {
    AskedQuestion question{item.At("question").String(), {}};
    for (JsonReader& name : item.At("expects").Items()) question.expects.push_back(name.String());
    questions.push_back(std::move(question));
  }
  if (auto finished = reader.Finish(); !finished) {
    throw std::runtime_error(finished.error().message);
  }
  return questions;
}

bool IsExpected(const KnowledgeHit& hit, const std::string& expected) {
  if (hit.passage.kind == agent::PassageKind::kMeasured) return false;
  if (!expected.starts_with("Documentation/")) {
    const auto& names = hit.passage.names;
    return std::find(names.begin(), names.end(), expected) != names.end();
  }
  const std::size_t mark = expected.find('#');
  if (!hit.passage.source.starts_with(expected.substr(0, mark) + ":")) return false;
  return mark == std::string::npos ||
         hit.passage.title.find(expected.substr(mark + 1)) != std::string::npos;
}

// From 1; 0 if it is not among them.
std::size_t PlaceOfRight(const std::vector<KnowledgeHit>& hits, const AskedQuestion& question) {
  for (std::size_t i = 0; i < hits.size(); ++i) {
    for (const std::string& expected : question.expects) {
      if (IsExpected(hits[i], expected)) return i + 1;
    }
  }
  return 0;
}

double MillisecondsSince(Timer::time_point start) {
  return std::chrono::duration<double, std::milli>(Timer::now() - start).count();
}

void Build(const std::string& tree, const std::string& base) {
  const auto start = Timer::now();
  const auto report =
      Must(app::BuildKnowledgeHere({base, ""}, SystemClock(), {tree, kArch, ""}, nullptr));
  const Json json = {{"documents", report.documents},
                     {"changed_documents", report.changed_documents},
                     {"options", report.options},
                     {"seconds", MillisecondsSince(start) / 1000}};
  fmt::print("{}\n", Dump(json));
}

void Ask(const std::string& path, const std::string& file, int rounds) {
  auto base = Must(agent::KnowledgeBase::Open(path));
  Json places = Json::object();
  Json times = Json::array();
  for (int round = 0; round < rounds; ++round) {
    for (const AskedQuestion& question : ReadQuestions(file)) {
      const auto start = Timer::now();
      const auto hits = Must(agent::SearchKnowledge(base, question.text, {kShown, {}}));
      times.push_back(MillisecondsSince(start));
      places[question.text] = PlaceOfRight(hits, question);
    }
  }
  fmt::print("{}\n", Dump({{"places", places}, {"times_ms", times}}));
}

void Show(const std::string& path, const std::string& file) {
  auto base = Must(agent::KnowledgeBase::Open(path));
  for (const AskedQuestion& question : ReadQuestions(file)) {
    const auto hits = Must(agent::SearchKnowledge(base, question.text, {30, {}}));
    const std::size_t place = PlaceOfRight(hits, question);
    if (place > 0 && place <= kShown) continue;
    fmt::print("{} (right at {}; {})\n", question.text, place, question.expects.front());
    for (std::size_t i = 0; i < std::min(kShown, hits.size()); ++i) {
      const agent::Passage& passage = hits[i].passage;
      fmt::print("  {:6.2f} {} | {} | {}\n", hits[i].score,
                 passage.names.empty() ? "-" : passage.names.front(), passage.title.substr(0, 70),
                 passage.source);
    }
    if (place > kShown) fmt::print("  …{:5.2f}\n", hits[place - 1].score);
  }
}

}  // namespace

int BenchmarkMain(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "build") {
    Build(words[1], words[2]);
  } else if (words.size() == 4 && words[0] == "ask") {
    Ask(words[1], words[2], std::atoi(words[3].c_str()));
  } else if (words.size() == 3 && words[0] == "show") {
    Show(words[1], words[2]);
  } else {
    throw std::runtime_error("usage: the comment at the beginning of knowledge_benchmark.cc");
  }
  return 0;
}

}  // namespace hone
