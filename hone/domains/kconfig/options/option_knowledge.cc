// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/option_knowledge.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/core/check.h"
#include "hone/domains/kconfig/options/kernel_texts.h"

namespace hone::kernels {
namespace {

constexpr char kKnowledgeFile[] = "data/kernels/knowledge.json";

// One of the known words; else a fault at its place.
std::string Known(JsonReader reader, const std::vector<std::string>& known) {
  std::string word = reader.String();
  if (std::find(known.begin(), known.end(), word) == known.end()) {
    reader.Fail(fmt::format("expected one of {}, found \"{:.40}\"", fmt::join(known, ", "), word));
  }
  return word;
}

std::vector<std::string> KnownList(JsonReader reader, const std::vector<std::string>& known) {
  std::vector<std::string> words;
  for (const JsonReader& item : reader.Items()) words.push_back(Known(item, known));
  if (words.empty()) reader.Fail("it is empty");
  return words;
}

bool IsNumber(std::string_view text, double& number) {
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size();
}

// "throughput 5..10 %" or "size 4 KiB".
OptionEffect ReadEffect(JsonReader reader) {
  static const std::vector<std::string> units{"%", "times", "bytes", "KiB", "MiB", "s"};
  const std::string text = reader.String();
  OptionEffect effect;
  const std::size_t first = std::min(text.find(' '), text.size());
  const std::size_t last = std::min(text.rfind(' '), text.size());
  effect.aim = text.substr(0, first);
  if (last > first) {
    effect.unit = text.substr(last + 1);
    const std::string amount = text.substr(first + 1, last - first - 1);
    const std::size_t dots = amount.find("..");
    const std::string high = dots == std::string::npos ? amount : amount.substr(dots + 2);
    const bool is_read =
        IsNumber(amount.substr(0, dots), effect.low) && IsNumber(high, effect.high);
    const auto has = [](const std::vector<std::string>& all, const std::string& one) {
      return std::find(all.begin(), all.end(), one) != all.end();
    };
    const bool is_known = has(KnownAims(), effect.aim) && has(units, effect.unit);
    if (is_read && is_known && effect.low <= effect.high) return effect;
  }
  reader.Fail(fmt::format("expected \"AIM LOW..HIGH UNIT\", found \"{:.40}\"", text));
  return effect;
}

std::map<std::string, std::string> ReadBetter(JsonReader reader) {
  static const std::vector<std::string> values{"y", "n", "higher", "lower"};
  std::map<std::string, std::string> better;
  for (auto& [aim, value] : reader.Members()) {
    const auto& aims = KnownAims();
    if (std::find(aims.begin(), aims.end(), aim) == aims.end()) {
      value.Fail(fmt::format("no such aim; there are {}", fmt::join(aims, ", ")));
    }
    better.emplace(aim, Known(value, values));
  }
  if (better.empty()) reader.Fail("it is empty");
  return better;
}

std::string SentenceAt(JsonReader& reader, std::string_view key) {
  std::string text = reader.At(key).String();
  if (text.empty()) reader.At(key).Fail("it is empty");
  return text;
}

KnownOption ReadOption(JsonReader reader) {
  KnownOption option;
  option.name = SentenceAt(reader, "name");
  option.about = KnownList(reader.At("about"), KnownTopics());
  option.better = ReadBetter(reader.At("better"));
  option.why = SentenceAt(reader, "why");
  option.source = SentenceAt(reader, "source");
  if (reader.Has("effects")) {
    JsonReader effects = reader.At("effects");
    for (const JsonReader& item : effects.Items()) option.effects.push_back(ReadEffect(item));
  }
  if (reader.Has("since")) option.since = SentenceAt(reader, "since");
  if (reader.Has("until")) option.until = SentenceAt(reader, "until");
  if (reader.Has("arch"))
    option.arches = KnownList(reader.At("arch"), {"x86_64", "arm64", "riscv"});
  if (reader.Has("protected")) {
    option.protected_for = Known(reader.At("protected"), {"security", "boot"});
  }
  reader.RefuseOthers();
  return option;
}

}  // namespace

const std::vector<std::string>& KnownTopics() {
  static const std::vector<std::string> topics{
      "system calls", "scheduling", "processes",  "locking",       "timers",
      "memory",       "files",      "storage",    "network",       "boot",
      "power",        "processor",  "compiler",   "modules",       "tracing",
      "debugging",    "groups",     "accounting", "virtualisation"};
  return topics;
}

const std::vector<std::string>& KnownAims() {
  static const std::vector<std::string> aims{"throughput", "latency", "memory",
                                             "size",       "boot",    "power"};
  return aims;
}

Result<OptionKnowledge> OptionKnowledge::Read(const std::string& text, const std::string& what) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  if (reader.At("format").String() != "hone-kernel-options") {
    reader.At("format").Fail("expected \"hone-kernel-options\"");
  }
  if (reader.At("format_version").Integer() != kKnowledgeVersion) {
    reader.At("format_version").Fail(fmt::format("expected {}", kKnowledgeVersion));
  }
  OptionKnowledge knowledge;
  std::set<std::string> names;
  JsonReader list = reader.At("options");
  for (JsonReader& item : list.Items()) {
    knowledge.all_.push_back(ReadOption(item));
    const std::string& name = knowledge.all_.back().name;
    if (!names.insert(name).second) item.Fail(fmt::format("{}: it is there twice", name));
  }
  reader.RefuseOthers();
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return knowledge;
}

const OptionKnowledge& OptionKnowledge::BuiltIn() {
  static const OptionKnowledge knowledge = [] {
    auto read = Read(std::string(KernelText(kKnowledgeFile)), kKnowledgeFile);
    HONE_CHECK(read.has_value());  // option_knowledge_test reads it first, and tells what is wrong.
    return std::move(*read);
  }();
  return knowledge;
}

std::string EffectText(const OptionEffect& effect) {
  const std::string low = effect.low == effect.high ? "" : fmt::format("{} to ", effect.low);
  return fmt::format("{} {}{} {}", effect.aim, low, effect.high, effect.unit);
}

std::string SummaryOf(const KnownOption& known) {
  std::string text;
  for (const auto& [aim, value] : known.better) {
    text += fmt::format("{}{} for {}", text.empty() ? "better " : ", ", value, aim);
  }
  for (const OptionEffect& effect : known.effects) text += "; published: " + EffectText(effect);
  return text + (text.empty() ? "" : "; ") + known.why;
}

const KnownOption* OptionKnowledge::Find(std::string_view name) const {
  const auto found = std::find_if(all_.begin(), all_.end(),
                                  [&](const KnownOption& option) { return option.name == name; });
  return found == all_.end() ? nullptr : &*found;
}

}  // namespace hone::kernels
