// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/settings_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "hone/base/json/json.h"
#include "hone/domains/sysctl/kernel/kernel_text.h"
#include "hone/domains/sysctl/knowledge/settings_lines.h"
#include "hone/domains/sysctl/knowledge/tuned_profile.h"
#include "hone/domains/sysctl/knowledge/tuned_settings.h"

namespace hone::sysctl {
namespace {

constexpr std::string_view kScriptMark = "# hone-settings script 1";

// Collects settings; of two for one path the later counts, as it does for init systems.
class Collector {
 public:
  explicit Collector(std::string what) : what_(std::move(what)) {}

  Error Wrong(int line, const std::string& why) const {
    return Error{Errc::kInvalidArgument, fmt::format("{}: line {}: {}", what_, line, why)};
  }

  Result<void> Add(int line, const std::string& path, const std::string& text) {
    if (auto fault = FaultIn(path, text); !fault.empty()) return Wrong(line, fault);
    Take({path, text});
    return {};
  }

  void Take(Setting taken) {
    std::erase_if(settings_, [&](const Setting& setting) { return setting.path == taken.path; });
    settings_.push_back(std::move(taken));
  }

  Result<std::vector<Setting>> Finish() {
    if (!settings_.empty()) return std::move(settings_);
    return Error{Errc::kInvalidArgument, fmt::format("{}: there is no setting in it", what_)};
  }

 private:
  std::string what_;
  std::vector<Setting> settings_;
};

Result<void> ReadSysctlLine(Collector& collector, const Line& line) {
  const std::size_t equals = line.text.find('=');
  std::string name = Trimmed(line.text.substr(0, equals));
  if (name.starts_with('-')) name = Trimmed(name.substr(1));  // "Never mind if it fails".
  if (equals == std::string::npos || name.empty()) {
    return collector.Wrong(line.number,
                           fmt::format("expected \"name = value\", found \"{:.60}\"", line.text));
  }
  return collector.Add(line.number, PathOfName(name),
                       CleanText(Trimmed(line.text.substr(equals + 1))));
}

Result<void> ReadSysctl(Collector& collector, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    if (line.IsComment()) continue;
    if (auto read = ReadSysctlLine(collector, line); !read) return read;
  }
  return {};
}

// "w /path mode user group age argument"; the argument goes to the end of the line.
struct TmpfilesFields {
  std::string type;
  std::string path;
  std::string argument;
};

std::optional<TmpfilesFields> SplitTmpfiles(const std::string& text) {
  TmpfilesFields line;
  std::istringstream words(text);
  std::string skipped;
  words >> line.type >> line.path;
  if (!line.path.starts_with('/')) return std::nullopt;
  for (int i = 0; i < 4; ++i) words >> skipped;
  std::getline(words, line.argument);
  line.argument = Trimmed(line.argument);
  return line;
}

std::optional<std::string> Unescaped(const std::string& argument) {
  std::string text;
  for (std::size_t i = 0; i < argument.size(); ++i) {
    const char c = argument[i];
    if (c == '%' || c == '\\') {
      if (i + 1 == argument.size() || argument[i + 1] != c) return std::nullopt;
      ++i;
    }
    text += c;
  }
  return text;
}

Result<void> ReadTmpfiles(Collector& collector, const std::vector<Line>& lines) {
  for (const Line& line : lines) {
    if (line.IsComment()) continue;
    const auto parts = SplitTmpfiles(line.text);
    if (!parts || parts->type.front() != 'w') {
      return collector.Wrong(
          line.number,
          fmt::format("expected \"w PATH - - - - VALUE\", found \"{:.60}\"", line.text));
    }
    const auto text = Unescaped(parts->argument);
    if (!text) {
      return collector.Wrong(
          line.number,
          fmt::format("{}: % and \\ stand only for themselves here, doubled", parts->path));
    }
    if (auto added = collector.Add(line.number, parts->path, *text); !added) return added;
  }
  return {};
}

// The next word of our script: between single quotes, with '\'' for one.
std::optional<std::string> TakeQuoted(std::string_view& text) {
  if (!text.starts_with('\'')) return std::nullopt;
  text.remove_prefix(1);
  std::string word;
  while (true) {
    const std::size_t end = text.find('\'');
    if (end == text.npos) return std::nullopt;
    word += text.substr(0, end);
    text.remove_prefix(end + 1);
    if (!text.starts_with("\\''")) return word;
    word += '\'';
    text.remove_prefix(3);
  }
}

Result<void> ReadScript(Collector& collector, const std::vector<Line>& lines) {
  const bool is_ours = std::any_of(lines.begin(), lines.end(),
                                   [](const Line& line) { return line.text == kScriptMark; });
  if (!is_ours) {
    return collector.Wrong(1,
                           "a script that hone did not write; give it sysctl.d, tmpfiles.d, a "
                           "tuned profile or hone's own files");
  }
  bool is_inside = false;
  for (const Line& line : lines) {
    if (line.text == "apply() {") is_inside = true;
    if (line.text == "}") is_inside = false;
    if (!is_inside || !line.text.starts_with("put ")) continue;
    std::string_view rest = std::string_view(line.text).substr(4);
    const auto path = TakeQuoted(rest);
    if (rest.starts_with(' ')) rest.remove_prefix(1);
    const auto text = path ? TakeQuoted(rest) : std::nullopt;
    if (!text || !rest.empty()) {
      return collector.Wrong(line.number, "expected put 'PATH' 'VALUE'; was the script edited?");
    }
    if (auto added = collector.Add(line.number, *path, *text); !added) return added;
  }
  return {};
}

Result<std::vector<Setting>> ReadJson(const std::string& text, const std::string& what) {
  const auto json = ParseJson(text, what);
  if (!json) return json.error();
  JsonReader reader(*json, what);
  const std::string format = reader.At("format").String();
  if (format != "hone-settings" && format != "hone-campaign") {
    reader.At("format").Fail(
        fmt::format("expected \"hone-settings\" or \"hone-campaign\", found \"{:.40}\"", format));
  }
  if (format == "hone-campaign" && !reader.Has("settings")) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: this campaign has no settings to install: it found no gain, or "
                             "it is not about kernel parameters",
                             what)};
  }
  Collector collector(what);
  JsonReader list = reader.At("settings");
  for (JsonReader& item : list.Items()) {
    Setting setting{item.At("path").String(), item.At("after").String()};
    const auto fault = FaultIn(setting.path, setting.text);
    if (!fault.empty() && !IsServiceKey(setting.path)) item.Fail(fault);
    collector.Take(std::move(setting));
  }
  if (auto finished = reader.Finish(); !finished) return finished.error();
  return collector.Finish();
}

std::vector<Line>::const_iterator FirstWords(const std::vector<Line>& lines) {
  return std::find_if_not(lines.begin(), lines.end(),
                          [](const Line& line) { return line.IsComment(); });
}

bool IsTunedProfile(const std::vector<Line>& lines) {
  const auto first = FirstWords(lines);
  return first != lines.end() && first->text.front() == '[';
}

// By what stands first.
std::function<Result<void>(Collector&, const std::vector<Line>&)> ReaderFor(
    const std::vector<Line>& lines) {
  if (!lines.empty() && lines.front().text.starts_with("#!")) return ReadScript;
  const auto first = FirstWords(lines);
  if (first == lines.end()) return ReadSysctl;
  return SplitTmpfiles(first->text) ? ReadTmpfiles : ReadSysctl;
}

}  // namespace

Result<std::vector<Setting>> ReadSettingsFile(const std::string& text, const std::string& what,
                                              KernelFiles* files) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && text[first] == '{') return ReadJson(text, what);
  const auto lines = LinesOf(text);
  Collector collector(what);
  if (IsTunedProfile(lines)) {
    const auto units = ReadTunedProfile(text, what);
    if (!units) return units.error();
    auto settings = SettingsOfProfile(*units, what, files);
    if (!settings) return settings.error();
    for (Setting& setting : *settings) collector.Take(std::move(setting));
    return collector.Finish();
  }
  if (auto read = ReaderFor(lines)(collector, lines); !read) return read.error();
  return collector.Finish();
}

}  // namespace hone::sysctl
