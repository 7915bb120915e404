// SPDX-License-Identifier: Apache-2.0
#include "hone/cli/text/knowledge_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "hone/base/json/records.h"
#include "hone/cli/text/help.h"
#include "hone/cli/text/readable.h"

namespace hone::cli {
namespace {

using agent::MeasuredEffect;
using agent::Passage;
using agent::PassageKind;

constexpr std::size_t kMaxLinesOfHit = 3;
constexpr std::size_t kMaxAlso = 3;

std::string KindWord(PassageKind kind) {
  switch (kind) {
    case PassageKind::kOption:
    case PassageKind::kKnownOption:
      return "build option";
    case PassageKind::kParameter:
      return "parameter";
    case PassageKind::kDocument:
    case PassageKind::kInterface:
      return "documentation";
    case PassageKind::kMeasured:
      return "measured here";
  }
  return "";
}

bool HasSubject(const Passage& passage) {
  return !passage.names.empty() && passage.kind != PassageKind::kMeasured;
}

std::string SubjectOfPassage(const Passage& passage) {
  const bool is_option =
      passage.kind == PassageKind::kOption || passage.kind == PassageKind::kKnownOption;
  if (!HasSubject(passage)) {
    return passage.title.empty() ? passage.source : passage.title;
  }
  return (is_option ? "CONFIG_" : "") + passage.names.front();
}

// Blocks of text keep their lines, running text is wrapped.
std::vector<std::string> LinesToShow(const std::string& text, std::size_t width) {
  std::vector<std::string> lines;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string line = text.substr(at, end - at);
    at = end + 1;
    if (WidthOf(line) <= width) {
      lines.push_back(std::move(line));
      continue;
    }
    for (std::string& part : Wrap(line, width)) lines.push_back(std::move(part));
  }
  while (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// The beginning of what it says, as running text.
std::string Beginning(const Passage& passage, std::size_t width) {
  std::string text = HasSubject(passage) ? passage.title : "";
  if (!text.empty() && text.back() != '.' && !passage.text.empty()) text += ". ";
  if (!text.empty() && text.back() == '.') text += " ";
  text += passage.text.substr(0, 1'000);
  std::vector<std::string> lines = Wrap(Printable(text), width);
  const bool is_cut = lines.size() > kMaxLinesOfHit;
  if (is_cut) lines.resize(kMaxLinesOfHit);
  std::string shown;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool is_last = is_cut && i + 1 == lines.size();
    shown += fmt::format("   {}{}\n", lines[i], is_last ? " …" : "");
  }
  return shown;
}

std::string AlsoText(const std::vector<std::string>& also) {
  if (also.empty()) return "";
  const std::size_t shown = std::min(also.size(), kMaxAlso);
  std::string text =
      fmt::format("; also {}",
                  fmt::join(also.begin(), also.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
  return also.size() > shown ? text + fmt::format(" and {} more", also.size() - shown) : text;
}

std::string PercentText(double log_ratio) {
  return fmt::format("{:+.1f} %", tune::ToPercent(log_ratio));
}

}  // namespace

std::string HitsText(const std::vector<agent::KnowledgeHit>& hits, const Ink& ink,
                     std::size_t width) {
  std::string text;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Passage& passage = hits[i].passage;
    text += fmt::format("{}{}  {}  {}\n", i == 0 ? "" : "\n", i + 1,
                        ink.Bold(Printable(SubjectOfPassage(passage))),
                        ink.Faint(KindWord(passage.kind)));
    text += Beginning(passage, width - 4);
    text += fmt::format("   {}\n", ink.Faint(Printable(passage.source + AlsoText(hits[i].also))));
  }
  return text;
}

std::string NameText(const agent::NameAnswer& answer, const Ink& ink, std::size_t width) {
  std::string text;
  for (const Passage& passage : answer.passages) {
    if (!text.empty()) text += "\n";
    text += fmt::format("{}  {}\n", ink.Bold(Printable(SubjectOfPassage(passage))),
                        ink.Faint(Printable(passage.source)));
    std::string body = HasSubject(passage) ? passage.title + "\n" : "";
    body += passage.facts + passage.text;
    for (const std::string& line : LinesToShow(Printable(body), width - 4)) {
      text += line.empty() ? "\n" : "  " + line + "\n";
    }
  }
  if (!answer.effects.empty()) {
    text +=
        fmt::format("\n{}\n{}", ink.Bold("Measured on this machine"), EffectsText(answer.effects));
  }
  return text;
}

std::string EffectsText(const std::vector<MeasuredEffect>& effects) {
  TableRows rows{
      {"what", "from", "to", "metric", "worth", "95 %", "pairs", "by", "campaign", "ended"}};
  for (const MeasuredEffect& effect : effects) {
    const auto& [low, high] = effect.effect.interval;
    const bool is_bounded = effect.effect.interval.IsBounded();
    rows.push_back({Printable(effect.name), Printable(effect.from), Printable(effect.to),
                    Printable(effect.metric), PercentText(effect.effect.effect),
                    is_bounded ? fmt::format("[{}, {}]{}", PercentText(low), PercentText(high),
                                             effect.IsShown() ? "" : " may be nothing")
                               : "too few pairs",
                    fmt::format("{}", effect.effect.count), std::string(NameOf(effect.origin)),
                    Printable(effect.campaign), hone::ToText(effect.ended).substr(0, 10)});
  }
  return TableText(rows);
}

std::string ContentsText(const agent::BaseContents& contents, const std::string& path) {
  const auto fact = [&](const char* name) {
    const auto found = contents.facts.find(name);
    return found == contents.facts.end() ? std::string() : Printable(found->second);
  };
  TableRows rows{{"base", Printable(path)}};
  if (fact("tree").empty()) {
    rows.push_back({"kernel tree",
                    "none yet; hone knowledge build TREE adds Kconfig help and "
                    "the kernel's documentation"});
  } else {
    rows.push_back({"kernel tree",
                    fmt::format("{} (Linux {}, {})", fact("tree"), fact("kernel"), fact("arch"))});
  }
  const auto count = [&](PassageKind kind) {
    return contents.passages[static_cast<std::size_t>(kind)];
  };
  rows.push_back({"build options", fmt::format("{}", count(PassageKind::kOption))});
  rows.push_back({"options we know", fmt::format("{}", count(PassageKind::kKnownOption))});
  rows.push_back({"parameters we know", fmt::format("{}", count(PassageKind::kParameter))});
  rows.push_back({"documentation",
                  fmt::format("{} sections, {} entries about one name each",
                              count(PassageKind::kDocument), count(PassageKind::kInterface))});
  rows.push_back({"campaigns", fmt::format("{}", count(PassageKind::kMeasured))});
  return TableText(rows, "");
}

Json ContentsJson(const agent::BaseContents& contents, const std::string& path) {
  Json passages = Json::object();
  for (std::size_t kind = 0; kind < agent::kPassageKinds; ++kind) {
    passages[std::string(NameOf(static_cast<PassageKind>(kind)))] = contents.passages[kind];
  }
  return {{"base", path},
          {"facts", contents.facts},
          {"passages", std::move(passages)},
          {"names", contents.names}};
}

}  // namespace hone::cli
