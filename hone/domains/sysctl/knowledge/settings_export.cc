// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/settings_export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "hone/domains/sysctl/kernel/control_groups.h"
#include "hone/domains/sysctl/kernel/ethtool.h"
#include "hone/domains/sysctl/kernel/setting.h"

namespace hone::sysctl {
namespace {

constexpr std::size_t kWidth = 78;
constexpr std::array kForms{SettingsForm::kSysctl, SettingsForm::kTuned, SettingsForm::kTmpfiles,
                            SettingsForm::kJson, SettingsForm::kScript};

bool IsSysctl(const ExportedSetting& setting) { return setting.path.starts_with("/proc/sys/"); }

bool NeedsCommand(const ExportedSetting& setting) { return HasNoFileAtBoot(setting.path); }

std::string CommandFor(const ExportedSetting& setting) {
  if (IsEthtoolPath(setting.path)) return EthtoolCommand(setting.path, setting.after);
  const std::string command = SystemdCommand(setting.path, setting.after);
  return command.empty() ? fmt::format("echo {} > {}", setting.after, setting.path) : command;
}

bool IsSysfs(const ExportedSetting& setting) {
  return !IsSysctl(setting) && !IsServiceKey(setting.path) && !NeedsCommand(setting);
}

// A text from a campaign must not end its comment.
std::string OneLine(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

std::string Comment(const std::string& text, const std::string& mark = "# ") {
  std::string lines;
  std::string line;
  std::istringstream words(OneLine(text));
  for (std::string word; words >> word;) {
    if (!line.empty() && mark.size() + line.size() + 1 + word.size() > kWidth) {
      lines += mark + line + "\n";
      line.clear();
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return lines + mark + line + "\n";
}

std::string HeaderOf(const SettingsExport& what) {
  std::string text =
      Comment(fmt::format("Made by hone {} from the campaign {}.", what.version, what.run));
  const std::vector<std::pair<std::string, std::string>> rows{{"Workload", what.workload},
                                                              {"Verdict", what.verdict},
                                                              {"Date", what.date},
                                                              {"Machine", what.machine},
                                                              {"Kernel", what.kernel}};
  for (const auto& [name, value] : rows) {
    if (!value.empty()) text += Comment(fmt::format("{}: {}", name, value));
  }
  return text;
}

std::string AboutText(const ExportedSetting& setting) {
  std::string text;
  if (!setting.summary.empty()) text += Comment(setting.summary);
  text += Comment(fmt::format("Effect: {}",
                              setting.effect.empty() ? "not measured on its own" : setting.effect));
  text += Comment(fmt::format("Before: {}{}{}", setting.before, setting.undo.empty() ? "" : ". ",
                              setting.undo));
  return text;
}

// What only JSON and scripts can set.
std::string CommandsText(const SettingsExport& what) {
  std::string text;
  for (const ExportedSetting& setting : what.settings) {
    if (!NeedsCommand(setting)) continue;
    text += "#\n" + AboutText(setting) + "#   " + OneLine(CommandFor(setting)) + "\n";
  }
  if (text.empty()) return text;
  return "\n" +
         Comment(
             "These are settings of network devices or of control groups, which have no files at "
             "boot. hone sysctl apply sets them from the JSON form (hone export --as json); or "
             "run as root:") +
         text;
}

// What no form but JSON can set.
std::string ServiceText(const SettingsExport& what) {
  std::string text;
  for (const ExportedSetting& setting : what.settings) {
    if (!IsServiceKey(setting.path)) continue;
    text += "#\n" + AboutText(setting) + "#   " + OneLine(setting.file) + "\n";
  }
  if (text.empty()) return text;
  return "\n" +
         Comment(
             "These stand in the files of services. hone sysctl apply sets them from the "
             "JSON form (hone export --as json); or edit the files, and reload:") +
         text;
}

// % and \ mean something in tmpfiles.d.
std::string TmpfilesLine(const std::string& path, const std::string& text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '%' || c == '\\') escaped += c;
    escaped += c;
  }
  return fmt::format("w {} - - - - {}", path, escaped);
}

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  return quoted + "'";
}

std::string AsSysctl(const SettingsExport& what) {
  const std::string file = fmt::format("90-hone-{}.conf", what.run);
  std::string text = HeaderOf(what) + "#\n";
  text += Comment(fmt::format("Install: copy to /etc/sysctl.d/{}, then: sysctl --system", file));
  text +=
      Comment(fmt::format("Undo: delete /etc/sysctl.d/{}, and write the values named below as "
                          "\"Before\", or restart.",
                          file));
  bool has_sysfs = false;
  for (const ExportedSetting& setting : what.settings) {
    has_sysfs = has_sysfs || IsSysfs(setting);
    if (!IsSysctl(setting)) continue;
    text += "\n" + AboutText(setting) +
            fmt::format("{} = {}\n", NameOfPath(setting.path), setting.after);
  }
  if (!has_sysfs) return text + CommandsText(what) + ServiceText(what);
  text += "\n" + Comment(fmt::format("These lie in /sys, where sysctl.d does not reach. Put the "
                                     "lines that begin with w into /etc/tmpfiles.d/{}:",
                                     file));
  for (const ExportedSetting& setting : what.settings) {
    if (!IsSysfs(setting)) continue;
    text += "#\n" + AboutText(setting) + "#   " + TmpfilesLine(setting.path, setting.after) + "\n";
  }
  return text + CommandsText(what) + ServiceText(what);
}

std::string AsTmpfiles(const SettingsExport& what) {
  const std::string file = fmt::format("90-hone-{}.conf", what.run);
  std::string text = HeaderOf(what) + "#\n";
  text +=
      Comment(fmt::format("Install: copy to /etc/tmpfiles.d/{}, then: systemd-tmpfiles "
                          "--create {}",
                          file, file));
  text +=
      Comment(fmt::format("Undo: delete /etc/tmpfiles.d/{}, and write the values named below "
                          "as \"Before\", or restart.",
                          file));
  for (const ExportedSetting& setting : what.settings) {
    if (!IsSysctl(setting) && !IsSysfs(setting)) continue;
    text += "\n" + AboutText(setting) + TmpfilesLine(setting.path, setting.after) + "\n";
  }
  return text + CommandsText(what) + ServiceText(what);
}

std::string AsTuned(const SettingsExport& what) {
  const std::string profile = "hone-" + what.run;
  std::string text = HeaderOf(what) + "#\n";
  text +=
      Comment(fmt::format("Install: copy to /etc/tuned/{}/tuned.conf, then: tuned-adm profile "
                          "{}",
                          profile, profile));
  text += Comment("Undo: tuned-adm profile with the one before (tuned-adm active names it).");
  text += fmt::format("\n[main]\nsummary=Found by hone in the campaign {}\n", what.run);
  for (const bool is_sysctl : {true, false}) {
    bool is_first = true;
    for (const ExportedSetting& setting : what.settings) {
      if (is_sysctl ? !IsSysctl(setting) : !IsSysfs(setting)) continue;
      if (is_first) text += is_sysctl ? "\n[sysctl]\n" : "\n[sysfs]\n";
      text += (is_first ? "" : "\n") + AboutText(setting) +
              fmt::format("{}={}\n", NameOfPath(setting.path), setting.after);
      is_first = false;
    }
  }
  return text + CommandsText(what) + ServiceText(what);
}

// What the lines of a script call. Paths of ethtool's, and of one value of several, are no files.
std::string_view PutFunction(const SettingsExport& what) {
  const bool has_others = std::any_of(what.settings.begin(), what.settings.end(), NeedsCommand);
  if (!has_others) return "put() {\n  printf '%s\\n' \"$2\" >\"$1\"\n}\n";
  return R"sh(put() {
  device=${1#/ethtool/}
  device=${device%%/*}
  case "$1" in
    /ethtool/*/features/*) ethtool -K "$device" "${1##*/}" "$2" ;;
    /ethtool/*/ring/*) ethtool -G "$device" "${1##*/}" "$2" ;;
    /ethtool/*/channels/*) ethtool -L "$device" "${1##*/}" "$2" ;;
    */io.max/*/*)
      key=${1##*/}
      disk=${1%/*}
      file=${disk%/*}
      printf '%s %s=%s\n' "$(cat "/sys/block/${disk##*/}/dev")" "$key" "$2" >"$file" ;;
    */io.weight/default | */io.bfq.weight/default) printf 'default %s\n' "$2" >"${1%/*}" ;;
    *) printf '%s\n' "$2" >"$1" ;;
  esac
}
)sh";
}

std::string AsScript(const SettingsExport& what) {
  std::string text = "#!/bin/sh\n" + HeaderOf(what) + "#\n";
  text += Comment(
      "Run as root: without an argument it sets the values, with the argument undo it "
      "puts back those that were there before. Neither survives a restart.");
  text += "# hone-settings script 1\nset -eu\n\n" + std::string(PutFunction(what));
  text += "\napply() {\n";
  for (const ExportedSetting& setting : what.settings) {
    if (IsServiceKey(setting.path)) continue;
    std::istringstream about(AboutText(setting));
    for (std::string line; std::getline(about, line);) text += "  " + line + "\n";
    text += fmt::format("  put {} {}\n", Quoted(setting.path), Quoted(setting.after));
  }
  text += "  :\n}\n\nundo() {\n  :\n";
  for (auto setting = what.settings.rbegin(); setting != what.settings.rend(); ++setting) {
    if (IsServiceKey(setting->path)) continue;
    text += setting->undo.empty()
                ? fmt::format("  put {} {}\n", Quoted(setting->path), Quoted(setting->before))
                : fmt::format("  echo {} >&2\n",
                              Quoted(NameOfPath(setting->path) + ": " + OneLine(setting->undo)));
  }
  text +=
      "}\n\ncase \"${1:-apply}\" in\n  apply) apply ;;\n  undo) undo ;;\n"
      "  *) echo \"usage: $0 [apply|undo]\" >&2; exit 2 ;;\nesac\n";
  return text + ServiceText(what);
}

std::string AsJson(const SettingsExport& what) {
  Json document{
      {"format", "hone-settings"},     {"format_version", 1},     {"run", what.run},
      {"workload", what.workload},     {"verdict", what.verdict}, {"date", what.date},
      {"machine", what.machine},       {"kernel", what.kernel},   {"hone_version", what.version},
      {"settings", SettingsJson(what)}};
  if (!what.services.empty()) document["services"] = what.services;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

bool HasNoFileAtBoot(std::string_view path) {
  return IsEthtoolPath(path) || path.starts_with("/sys/fs/cgroup/");
}

std::string_view NameOf(SettingsForm form) {
  switch (form) {
    case SettingsForm::kSysctl:
      return "sysctl.d";
    case SettingsForm::kTuned:
      return "tuned";
    case SettingsForm::kTmpfiles:
      return "tmpfiles.d";
    case SettingsForm::kJson:
      return "json";
    case SettingsForm::kScript:
      return "script";
  }
  return "unknown";
}

std::optional<SettingsForm> SettingsFormOf(std::string_view name) {
  const auto found = std::find_if(kForms.begin(), kForms.end(),
                                  [&](SettingsForm form) { return NameOf(form) == name; });
  return found == kForms.end() ? std::nullopt : std::optional(*found);
}

Json SettingsJson(const SettingsExport& what) {
  Json list = Json::array();
  for (const ExportedSetting& setting : what.settings) {
    list.push_back({{"path", setting.path},
                    {"before", setting.before},
                    {"after", setting.after},
                    {"effect", setting.effect},
                    {"summary", setting.summary},
                    {"undo", setting.undo}});
    if (!setting.file.empty()) list.back()["file"] = setting.file;
  }
  return list;
}

std::string ExportSettings(const SettingsExport& what, SettingsForm form) {
  switch (form) {
    case SettingsForm::kSysctl:
      return AsSysctl(what);
    case SettingsForm::kTuned:
      return AsTuned(what);
    case SettingsForm::kTmpfiles:
      return AsTmpfiles(what);
    case SettingsForm::kJson:
      return AsJson(what);
    case SettingsForm::kScript:
      return AsScript(what);
  }
  return "";
}

}  // namespace hone::sysctl
