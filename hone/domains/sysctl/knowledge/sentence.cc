// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/sentence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace hone::sysctl {
namespace {

constexpr std::size_t kMaxAdded = 6;
constexpr int kNegationReach = 3;  // Words after "not" that it still covers.

// What people say, by the words that the knowledge base and the presets use.
const std::map<std::string, std::set<std::string>>& Synonyms() {
  static const std::map<std::string, std::set<std::string>> synonyms{
      {"memory", {"memory", "ram", "heap", "malloc", "allocation", "allocator", "numpy"}},
      {"hugepages", {"hugepage", "hugepages", "thp", "tlb", "largepage"}},
      {"swap", {"swap", "swapping", "zram", "zswap", "paging"}},
      {"reads", {"read", "reading", "scan", "readahead", "mmap"}},
      {"writes", {"write", "writing", "burst", "ingest", "ingestion", "logging", "dirty"}},
      {"fsync", {"fsync", "sync", "flush", "durable", "durability", "commit"}},
      {"files", {"file", "disk", "storage", "io", "ssd", "nvme", "filesystem"}},
      {"metadata", {"metadata", "directory", "directories", "inode"}},
      {"database",
       {"database", "db", "sql", "postgre", "postgres", "postgresql", "pgbench", "mysql", "mariadb",
        "oltp", "transaction"}},
      {"keyvalue", {"keyvalue", "kv", "redi", "redis", "memcached", "valkey"}},
      {"web", {"web", "http", "https", "nginx", "apache", "website", "webserver", "wrk"}},
      {"network",
       {"network", "networking", "tcp", "bandwidth", "iperf", "packet", "socket", "stream",
        "streaming", "download", "upload", "transfer"}},
      {"udp", {"udp", "quic", "dns", "voip"}},
      {"connections", {"connection", "client", "accept"}},
      {"cpu", {"cpu", "compute", "processor", "scheduling"}},
      {"numa", {"numa"}},
      {"containers", {"container", "docker", "kubernete", "kubernetes", "vm", "virtual"}},
      {"desktop", {"desktop", "interactive", "game", "gaming"}},
      {"power", {"power", "energy", "battery"}},
      {"latency", {"latency", "latencie", "jitter", "tail", "p99", "delay", "responsive", "stall"}},
      {"throughput", {"throughput", "bulk", "speed", "fast", "faster"}}};
  return synonyms;
}

// These say how well, not what: they decide only between presets that fit otherwise.
bool IsQuality(const std::string& idea) { return idea == "latency" || idea == "throughput"; }

bool IsNegation(const std::string& word) {
  static const std::set<std::string> negations{
      "not",     "no",  "without", "except", "ignore",    "ignoring", "never",
      "neither", "nor", "don",     "dont",   "excluding", "unlike"};
  return negations.contains(word);
}

// Words that a sentence needs and that ask for nothing.
bool IsFiller(const std::string& word) {
  static const std::set<std::string> fillers{
      "a",         "about",       "after",       "all",        "also",     "am",       "an",
      "and",       "application", "are",         "as",         "at",       "be",       "because",
      "best",      "better",      "big",         "but",        "by",       "can",      "could",
      "do",        "does",        "for",         "from",       "get",      "give",     "great",
      "has",       "have",        "heavy",       "help",       "high",     "higher",   "i",
      "improve",   "in",          "increase",    "intensive",  "is",       "it",       "its",
      "just",      "kernel",      "large",       "less",       "linux",    "load",     "lot",
      "lots",      "low",         "lower",       "machine",    "make",     "many",     "maximise",
      "maximize",  "me",          "minimise",    "minimize",   "more",     "most",     "much",
      "my",        "need",        "of",          "on",         "optimal",  "optimise", "optimize",
      "or",        "our",         "performance", "please",     "possible", "program",  "quick",
      "quicker",   "quickly",     "random",      "reduce",     "request",  "requests", "response",
      "responses", "run",         "running",     "runs",       "s",        "server",   "servers",
      "service",   "set",         "should",      "simulation", "slow",     "slower",   "small",
      "so",        "some",        "store",       "system",     "t",        "than",     "that",
      "the",       "their",       "this",        "time",       "times",    "to",       "too",
      "tune",      "tuning",      "up",          "use",        "uses",     "using",    "very",
      "want",      "we",          "when",        "which",      "while",    "will",     "with",
      "workload",  "workloads",   "would",       "you",        "your"};
  return fillers.contains(word);
}

// Words in lower case; "" stands where a clause ends.
std::vector<std::string> ClauseWords(const std::string& sentence) {
  std::vector<std::string> words(1);
  for (const char letter : sentence) {
    const auto byte = static_cast<unsigned char>(letter);
    if (std::isalnum(byte) != 0) {
      words.back() += static_cast<char>(std::tolower(byte));
      continue;
    }
    if (!words.back().empty()) words.emplace_back();
    if (letter == ',' || letter == ';' || letter == '.') words.emplace_back();
  }
  return words;
}

// The idea behind a word, which may be in the plural; empty if it is none.
std::string IdeaOf(const std::string& word) {
  std::string singular = word;
  if (singular.size() > 3 && singular.ends_with('s')) singular.pop_back();
  for (const auto& [idea, said] : Synonyms()) {
    if (idea == word || said.contains(word) || said.contains(singular)) return idea;
  }
  return "";
}

struct Understood {
  std::map<std::string, std::string> ideas;  // And the word that it came from.
  std::set<std::string> without;
  std::set<std::string> words;      // Those not negated, for names of presets.
  std::vector<std::string> others;  // Neither an idea nor a filler.
  bool is_about_tail = false;
};

bool IsAboutTail(const std::string& word) {
  return word == "tail" || word == "p99" || word == "jitter" || word == "stall" || word == "stalls";
}

Understood Understand(const std::string& sentence) {
  Understood understood;
  const std::vector<std::string> words = ClauseWords(sentence);
  int negated = 0;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word.empty() || word == "but") negated = 0;
    if (IsNegation(word)) {
      negated = kNegationReach + 1;
      continue;
    }
    const bool has_next = i + 1 < words.size() && !words[i + 1].empty();
    const std::string pair = has_next ? word + words[i + 1] : "";
    std::string idea = IdeaOf(pair);
    std::string from = idea.empty() ? word : word + " " + words[i + 1];
    if (idea.empty()) {
      idea = IdeaOf(word);
    } else {
      ++i;
    }
    if (!word.empty() && negated > 0) --negated;
    if (negated > 0) {
      if (!idea.empty()) understood.without.insert(idea);
      continue;
    }
    understood.words.insert(word);
    understood.is_about_tail = understood.is_about_tail || IsAboutTail(word);
    if (!idea.empty()) {
      understood.ideas.emplace(idea, from);
    } else if (!word.empty() && !IsFiller(word)) {
      understood.others.push_back(word);
    }
  }
  for (const std::string& idea : understood.without) understood.ideas.erase(idea);
  return understood;
}

std::set<std::string> IdeasOf(const SentencePreset& preset) {
  std::set<std::string> ideas;
  for (const std::string& word : preset.words) {
    const std::string idea = IdeaOf(word);
    ideas.insert(idea.empty() ? word : idea);
  }
  return ideas;
}

// How well a preset fits: its name counts most, then what it is about (its first word a little
// more), then how well.
int ScoreOf(const SentencePreset& preset, const Understood& understood) {
  const auto ideas = IdeasOf(preset);
  for (const std::string& idea : understood.without) {
    if (ideas.contains(idea) && !IsQuality(idea)) return 0;
  }
  int subject = 0;
  int quality = 0;
  const std::vector<std::string> parts = ClauseWords(preset.name);
  const bool is_named = std::all_of(parts.begin(), parts.end(), [&](const std::string& part) {
    return part.empty() || understood.words.contains(part);
  });
  if (is_named) subject += 6;
  for (const std::string& word : preset.words) {  // Words of its own, such as "loopback".
    if (IdeaOf(word).empty() && understood.words.contains(word)) subject += 3;
  }
  for (const auto& [idea, word] : understood.ideas) {
    if (ideas.contains(idea)) (IsQuality(idea) ? quality : subject) += IsQuality(idea) ? 1 : 3;
    if (!preset.words.empty() && IdeaOf(preset.words.front()) == idea) ++quality;
  }
  return subject == 0 ? 0 : subject + quality;
}

bool MayAdd(const ParameterFacts& facts, const SentencePreset& preset) {
  const bool is_gentle = facts.risk == Risk::kSafe || facts.risk == Risk::kSticky;
  if (!is_gentle || facts.condition || !facts.until.empty()) return false;
  if (facts.name.starts_with("/sys/kernel/debug/")) return false;
  if (preset.place == Place::kNamespace && facts.scope != Scope::kNetwork) return false;
  const auto& chosen = preset.parameters;
  const auto has = [&](const std::string& name) {
    return std::find(chosen.begin(), chosen.end(), name) != chosen.end();
  };
  return !has(facts.name) && (facts.twin.empty() || !has(facts.twin));
}

// Those that matter for most of what was understood; at least for one subject.
std::vector<std::string> Added(const SentencePreset& preset, const Understood& understood,
                               const Knowledge& knowledge) {
  std::vector<std::pair<int, const ParameterFacts*>> ranked;
  for (const ParameterFacts& facts : knowledge.all()) {
    if (!MayAdd(facts, preset)) continue;
    int score = 0;
    bool is_about_it = false;
    for (const std::string& word : facts.matters_for) {
      if (!understood.ideas.contains(word)) continue;
      score += word == facts.matters_for.front() ? 2 : 1;
      is_about_it = is_about_it || !IsQuality(word);
    }
    if (is_about_it && facts.matters_for.front() != "limits") ranked.emplace_back(score, &facts);
  }
  std::stable_sort(ranked.begin(), ranked.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  std::vector<std::string> added;
  std::set<std::string> twins;
  for (const auto& [score, facts] : ranked) {
    if (added.size() == kMaxAdded) break;
    if (twins.contains(facts->name)) continue;
    added.push_back(facts->name);
    if (!facts->twin.empty()) twins.insert(facts->twin);
  }
  return added;
}

std::string Listed(const std::vector<SentencePreset>& presets) {
  std::vector<std::string> listed;
  listed.reserve(presets.size());
  for (const SentencePreset& preset : presets) {
    listed.push_back(fmt::format("{} ({})", preset.name, fmt::join(preset.words, ", ")));
  }
  return fmt::format("{}", fmt::join(listed, "; "));
}

std::vector<std::string> Because(const Understood& understood) {
  std::vector<std::string> because;
  because.reserve(understood.ideas.size());
  for (const auto& [idea, word] : understood.ideas) {
    because.push_back(idea == word ? idea : fmt::format("{} ({})", idea, word));
  }
  return because;
}

// Words that are not part of the preset's name or its own ones.
std::vector<std::string> Ignored(const Understood& understood, const SentencePreset& preset) {
  const std::vector<std::string> parts = ClauseWords(preset.name);
  std::vector<std::string> ignored;
  std::ranges::copy_if(understood.others, std::back_inserter(ignored), [&](const auto& word) {
    return std::ranges::find(parts, word) == parts.end() &&
           std::ranges::find(preset.words, word) == preset.words.end();
  });
  return ignored;
}

std::set<std::string> Aims(const Understood& understood) {
  std::set<std::string> aims;
  for (const auto& [idea, word] : understood.ideas) {
    if (IsQuality(idea)) aims.insert(idea);
  }
  return aims;
}

std::string UnderstoodText(const Understood& understood) {
  if (understood.ideas.empty()) return "nothing in it was understood";
  return fmt::format("understood was {}", fmt::join(Because(understood), ", "));
}

}  // namespace

Result<SentenceChoice> ChooseFor(const std::string& sentence,
                                 const std::vector<SentencePreset>& presets,
                                 const Knowledge& knowledge) {
  const Understood understood = Understand(sentence);
  int best = 0;
  std::vector<const SentencePreset*> fitting;
  for (const SentencePreset& preset : presets) {
    const int score = ScoreOf(preset, understood);
    if (score == 0 || score < best) continue;
    if (score > best) fitting.clear();
    best = score;
    fitting.push_back(&preset);
  }
  if (fitting.empty()) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("\"{:.80}\": no preset fits; {}. There are: {}", sentence,
                             UnderstoodText(understood), Listed(presets))};
  }
  if (fitting.size() > 1) {
    std::vector<std::string> names;
    names.reserve(fitting.size());
    for (const SentencePreset* preset : fitting) names.push_back(preset->name);
    return Error{
        Errc::kInvalidArgument,
        fmt::format("\"{:.80}\": {} fit equally well; {}. Say more, or name one: hone tune "
                    "{}",
                    sentence, fmt::join(names, " and "), UnderstoodText(understood),
                    names.front())};
  }
  const SentencePreset& preset = *fitting.front();
  return SentenceChoice{preset.name,
                        preset.parameters,
                        Added(preset, understood, knowledge),
                        Because(understood),
                        {understood.without.begin(), understood.without.end()},
                        Aims(understood),
                        understood.is_about_tail,
                        Ignored(understood, preset)};
}

}  // namespace hone::sysctl
