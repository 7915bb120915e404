// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/settings_here.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "hone/core/coordinate.h"
#include "hone/domains/sysctl/kernel/kernel_text.h"
#include "hone/domains/sysctl/knowledge/known_file.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"
#include "hone/domains/sysctl/knowledge/settings_file.h"

namespace hone::sysctl {
namespace {

std::string Sibling(const ParameterFacts& facts, const std::string& path,
                    const std::string& other) {
  const auto stars = sysctl::MatchPattern(PathOfName(facts.name), path);
  return sysctl::FillPattern(PathOfName(other), stars.value_or(std::vector<std::string>()));
}

// The smallest range of this kind that holds all values.
struct Spanning {
  const std::vector<Value>& values;

  template <typename Number>
  std::pair<Number, Number> Ends() const {
    std::pair<Number, Number> ends{std::get<Number>(values[0]), std::get<Number>(values[0])};
    for (const Value& value : values) {
      ends.first = std::min(ends.first, std::get<Number>(value));
      ends.second = std::max(ends.second, std::get<Number>(value));
    }
    return ends;
  }

  Kind operator()(const IntegerRange&) const {
    const auto [low, high] = Ends<std::int64_t>();
    return IntegerRange{low, high};
  }
  Kind operator()(const RealRange&) const {
    const auto [low, high] = Ends<double>();
    return RealRange{low, high};
  }
  Kind operator()(const Boolean&) const { return Boolean{}; }
  Kind operator()(const Category&) const {
    Category category;
    for (const Value& value : values) {
      const auto& text = std::get<std::string>(value);
      auto& choices = category.choices;
      if (std::find(choices.begin(), choices.end(), text) == choices.end()) {
        choices.push_back(text);
      }
    }
    return category;
  }
  Kind operator()(const OrderedTuple& known) const {
    OrderedTuple tuple{.arity = known.arity, .range = {}, .parts = {}};
    for (std::size_t i = 0; i < known.arity; ++i) {
      std::vector<Value> parts;
      parts.reserve(values.size());
      for (const Value& value : values) {
        parts.emplace_back(std::get<std::vector<std::int64_t>>(value)[i]);
      }
      tuple.parts.push_back(std::get<IntegerRange>(Spanning{parts}(IntegerRange{})));
    }
    return tuple;
  }
};

// Of a parameter that nobody knows: integers if all of the texts are, else a choice.
Kind KindOfTexts(const std::vector<std::string>& texts) {
  const bool are_integers = std::all_of(texts.begin(), texts.end(), [](const std::string& text) {
    return ValueOf(IntegerRange{}, text).has_value();
  });
  return are_integers ? Kind(IntegerRange{}) : Kind(Category{});
}

Result<ParameterRequest> RequestFor(const std::string& path, const std::vector<std::string>& texts,
                                    bool is_unknown_allowed) {
  ParameterRequest request;
  request.name = NameOfPath(path);
  const ParameterFacts* facts = Knowledge::Builtin().Find(path);
  request.is_unknown_allowed = is_unknown_allowed && facts == nullptr;
  const bool is_denied = facts != nullptr && facts->risk == Risk::kDenied;
  if (is_denied || (facts == nullptr && !is_unknown_allowed)) return request;  // Refused later.
  const Kind kind = facts == nullptr ? KindOfTexts(texts) : facts->search;
  std::vector<Value> values;
  for (const std::string& text : texts) {
    auto value = facts == nullptr ? ValueOf(kind, text) : ValueOf(kind, text, facts->specials);
    if (!value) {
      return Error{Errc::kInvalidArgument,
                   fmt::format("{}: {}", request.name, value.error().message)};
    }
    const bool is_word = facts != nullptr && value->index() != NeutralValue(kind).index();
    if (!is_word) values.push_back(std::move(*value));
  }
  const bool is_switch = std::holds_alternative<Boolean>(kind);  // It has no range to narrow.
  if (!is_switch && !values.empty()) request.range = std::visit(Spanning{values}, kind);
  return request;
}

std::map<std::string, std::string> ByPath(const std::vector<Setting>& settings) {
  std::map<std::string, std::string> texts;
  for (const Setting& setting : settings) texts[setting.path] = setting.text;
  return texts;
}

}  // namespace

Result<std::vector<Setting>> ReadSettingsHere(const std::string& text, const std::string& what,
                                              KernelFiles& files) {
  const auto read = ReadSettingsFile(text, what, &files);
  if (!read) return read.error();
  std::vector<Setting> settings;
  const auto add = [&settings](Setting setting) {
    std::erase_if(settings, [&](const Setting& one) { return one.path == setting.path; });
    settings.push_back(std::move(setting));
  };
  for (const Setting& setting : *read) {
    if (!IsPattern(setting.path)) {
      add({setting.path, CleanText(setting.text)});
      continue;
    }
    const auto paths = files.Match(setting.path);
    if (!paths) return paths.error();
    for (const std::string& path : *paths) add({path, CleanText(setting.text)});
  }
  if (settings.empty()) {
    return Error{Errc::kInvalidArgument, fmt::format("{}: no settings in it", what)};
  }
  return settings;
}

Result<void> CheckSetting(KernelFiles& files, const ParameterFacts& facts, const Setting& setting,
                          const MachineSizes& sizes) {
  const auto now = files.Read(setting.path);
  if (now && MeanTheSame(setting.path, setting.text, *now)) return {};
  const std::string name = NameOfPath(setting.path);
  return CheckValue({name, facts, setting.text, sizes, HighestHere(files, &facts, setting.path)});
}

Couplings CouplingsOf(const std::vector<Setting>& settings, KernelFiles& files) {
  Couplings couplings;
  for (const Setting& setting : settings) {
    const ParameterFacts* facts = Knowledge::Builtin().Find(NameOfPath(setting.path));
    if (facts == nullptr) continue;
    if (!facts->twin.empty()) {
      const std::string twin = Sibling(*facts, setting.path, facts->twin);
      if (files.Read(twin)) couplings.twins.push_back({setting.path, twin});
    }
    for (const std::string& effect : ChangedWith(files, *facts, setting.path)) {
      couplings.effects.push_back({setting.path, effect, files.IsWritable(effect)});
    }
  }
  return couplings;
}

void DropTwinsThatAreOff(std::vector<Setting>& settings, const Couplings& couplings) {
  const auto has_value = [&settings](const std::string& path) {
    return std::any_of(settings.begin(), settings.end(), [&](const Setting& setting) {
      return setting.path == path && setting.text != "0";
    });
  };
  std::set<std::string> off;
  for (const Couplings::Twins& twins : couplings.twins) {
    if (has_value(twins.other)) off.insert(twins.one);
    if (has_value(twins.one)) off.insert(twins.other);
  }
  std::erase_if(settings, [&off](const Setting& setting) {
    return setting.text == "0" && off.contains(setting.path);
  });
}

bool MeanTheSame(const std::string& path, const std::string& one, const std::string& other) {
  if (one == other) return true;
  const auto* facts = Knowledge::Builtin().Find(path);
  if (facts == nullptr) return false;
  const auto value = ValueOf(facts->search, one, facts->specials);
  const auto same = ValueOf(facts->search, other, facts->specials);
  return value && same && *value == *same;
}

Result<std::vector<ParameterRequest>> RequestsFor(KernelFiles& files, const std::vector<Setting>& a,
                                                  const std::vector<Setting>& b,
                                                  bool is_unknown_allowed) {
  const auto in_a = ByPath(a);
  const auto in_b = ByPath(b);
  std::map<std::string, std::string> all = in_a;
  all.insert(in_b.begin(), in_b.end());
  std::vector<ParameterRequest> requests;
  for (const auto& entry : all) {
    const std::string& path = entry.first;
    std::vector<std::string> texts{entry.second};
    if (in_a.contains(path) && in_b.contains(path)) texts.push_back(in_b.at(path));
    if (const auto now = files.Read(path)) {
      const bool is_so_already = std::all_of(texts.begin(), texts.end(), [&](const auto& one) {
        return MeanTheSame(path, one, *now);
      });
      if (is_so_already) continue;
      texts.push_back(*now);
    }
    auto request = RequestFor(path, texts, is_unknown_allowed);
    if (!request) return request.error();
    requests.push_back(std::move(*request));
  }
  return requests;
}

}  // namespace hone::sysctl
