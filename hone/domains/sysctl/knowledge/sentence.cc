// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/sentence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "hone/core/plain_sentence.h"

namespace hone::sysctl {
namespace {

constexpr std::size_t kMaxAdded = 6;

// What people say, by the words that the knowledge base and the presets use.
const IdeaWords& Synonyms() {
  static const IdeaWords synonyms{
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

bool IsAboutTail(const std::string& word) {
  return word == "tail" || word == "p99" || word == "jitter" || word == "stall" || word == "stalls";
}

std::set<std::string> IdeasOf(const SentencePreset& preset) {
  std::set<std::string> ideas;
  for (const std::string& word : preset.words) {
    const std::string idea = IdeaOf(word, Synonyms());
    ideas.insert(idea.empty() ? word : idea);
  }
  return ideas;
}

// How well a preset fits: its name counts most, then what it is about (its first word a little
// more), then how well.
int ScoreOf(const SentencePreset& preset, const PlainSentence& understood) {
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
    if (IdeaOf(word, Synonyms()).empty() && understood.words.contains(word)) subject += 3;
  }
  for (const auto& [idea, word] : understood.ideas) {
    if (ideas.contains(idea)) (IsQuality(idea) ? quality : subject) += IsQuality(idea) ? 1 : 3;
    if (!preset.words.empty() && IdeaOf(preset.words.front(), Synonyms()) == idea) ++quality;
  }
  return subject == 0 ? 0 : subject + quality;
}

// Those that matter for most of what was understood; at least for one subject.
std::vector<std::string> Added(const SentencePreset& preset, const PlainSentence& understood,
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

// Words that are not part of the preset's name or its own ones.
std::vector<std::string> Ignored(const PlainSentence& understood, const SentencePreset& preset) {
  const std::vector<std::string> parts = ClauseWords(preset.name);
  std::vector<std::string> ignored;
  std::ranges::copy_if(understood.others, std::back_inserter(ignored), [&](const auto& word) {
    return std::ranges::find(parts, word) == parts.end() &&
           std::ranges::find(preset.words, word) == preset.words.end();
  });
  return ignored;
}

std::set<std::string> Aims(const PlainSentence& understood) {
  std::set<std::string> aims;
  for (const auto& [idea, word] : understood.ideas) {
    if (IsQuality(idea)) aims.insert(idea);
  }
  return aims;
}

std::string UnderstoodText(const PlainSentence& understood) {
  if (understood.ideas.empty()) return "nothing in it was understood";
  return fmt::format("understood was {}", fmt::join(IdeasWithWords(understood), ", "));
}

}  // namespace

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

Result<SentenceChoice> ChooseFor(const std::string& sentence,
                                 const std::vector<SentencePreset>& presets,
                                 const Knowledge& knowledge) {
  const PlainSentence understood = Understand(sentence, Synonyms());
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
                        IdeasWithWords(understood),
                        {understood.without.begin(), understood.without.end()},
                        Aims(understood),
                        std::ranges::any_of(understood.words, IsAboutTail),
                        Ignored(understood, preset)};
}

}  // namespace hone::sysctl
