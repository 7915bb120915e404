// SPDX-License-Identifier: Apache-2.0
#include "hone/app/campaign/campaign_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "hone/app/stored/kernel_of_run.h"
#include "hone/app/stored/settings_of_run.h"
#include "hone/base/json/json.h"
#include "hone/report/report.h"
#include "hone/server/page/page.h"
#include "hone/tune/campaign/export.h"

namespace hone::app {
namespace {

// The whole campaign; with what it found as settings, if it is about kernel parameters.
std::string CampaignText(const tune::CampaignHistory& history, std::optional<std::size_t> pick) {
  std::string text = tune::ExportJson(history);
  if (!IsAboutParameters(history)) return text;
  const auto settings = SettingsOfRun(history, pick);
  auto json = ParseJson(text, "export", {.bytes = text.size()});
  if (!settings || !json) return text;
  (*json)["settings"] = SettingsJson(*settings);
  if (!settings->services.empty()) (*json)["services"] = settings->services;
  return Dump(*json);
}

bool HasNoSysctl(const sysctl::SettingsExport& what) {
  return std::none_of(what.settings.begin(), what.settings.end(),
                      [](const auto& setting) { return setting.path.starts_with("/proc/sys/"); });
}

Result<std::string> TextToInstall(const tune::CampaignHistory& history, const std::string& form,
                                  std::optional<std::size_t> pick) {
  const auto settings = SettingsOfRun(history, pick);
  if (!settings) return settings.error();
  if (form == "sysctl.d" && HasNoSysctl(*settings)) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("{}: nothing that it changes is a sysctl; use --as tmpfiles.d for what "
                    "lies in /sys, --as json for keys of services, network devices and control "
                    "groups",
                    settings->run)};
  }
  return ExportSettings(*settings, *sysctl::SettingsFormOf(form));
}

std::string WithLastLine(std::string text) {
  if (!text.ends_with('\n')) text += '\n';
  return text;
}

// The name of a file in this form, and its type.
std::pair<std::string, std::string> NameAndType(const std::string& id, const std::string& form) {
  static const std::map<std::string, std::pair<std::string, std::string>> known{
      {"json", {".json", "application/json"}},
      {"csv", {".csv", "text/csv; charset=utf-8"}},
      {"report", {".html", "text/html; charset=utf-8"}},
      {"fragment", {".fragment.config", "text/plain; charset=utf-8"}},
      {"config", {".config", "text/plain; charset=utf-8"}},
      {"defconfig", {"_defconfig", "text/plain; charset=utf-8"}},
      {"script", {".sh", "text/x-shellscript; charset=utf-8"}}};
  const auto found = known.find(form);
  if (found != known.end()) return {id + found->second.first, found->second.second};
  return {form == "tuned" ? "tuned.conf" : fmt::format("90-hone-{}.conf", id),
          "text/plain; charset=utf-8"};
}

}  // namespace

const std::vector<std::string>& AllForms() {
  static const std::vector<std::string> forms = [] {
    std::vector<std::string> all{"json", "csv", "sysctl.d", "tuned", "tmpfiles.d", "script"};
    all.insert(all.end(), KernelForms().begin(), KernelForms().end());
    return all;
  }();
  return forms;
}

std::vector<std::string> FormsOf(const tune::CampaignHistory& history) {
  std::vector<std::string> forms{"json", "csv", "report"};
  if (IsAboutKernels(history)) {
    const auto& found = history.campaign.verdict;
    if (found && tune::HasGain(*found)) {
      forms.insert(forms.end(), KernelForms().begin(), KernelForms().end());
    }
    return forms;
  }
  if (!IsAboutParameters(history)) return forms;
  // Of a trade-off any point has all of them.
  const auto& verdict = history.campaign.verdict;
  const bool is_front = verdict && !verdict->front.empty();
  const auto settings =
      SettingsOfRun(history, is_front ? std::optional<std::size_t>(1) : std::nullopt);
  if (!settings) return forms;
  if (!HasNoSysctl(*settings)) forms.emplace_back("sysctl.d");
  forms.insert(forms.end(), {"tuned", "tmpfiles.d", "script"});
  return forms;
}

Result<server::ExportedFile> MakeFile(const tune::CampaignHistory& history, const std::string& form,
                                      std::optional<std::size_t> pick) {
  const auto& forms = AllForms();
  if (form != "report" && std::find(forms.begin(), forms.end(), form) == forms.end()) {
    return Error{Errc::kInvalidArgument, fmt::format("as: expected {} or report, found \"{}\"",
                                                     fmt::join(forms, ", "), form)};
  }
  server::ExportedFile file;
  std::tie(file.name, file.type) = NameAndType(history.campaign.id, form);
  if (form == "json") file.text = WithLastLine(CampaignText(history, pick));
  if (form == "csv") file.text = WithLastLine(tune::ExportCsv(history));
  if (form == "report")
    file.text = report::RenderReport(history, server::ReportScriptOf(server::PageOfThisBuild()));
  if (!file.text.empty()) return file;
  const auto& kernel_forms = KernelForms();
  const bool is_kernel =
      std::find(kernel_forms.begin(), kernel_forms.end(), form) != kernel_forms.end();
  auto text = is_kernel ? KernelOfRun(history, form, pick) : TextToInstall(history, form, pick);
  if (!text) return text.error();
  file.text = std::move(*text);
  return file;
}

}  // namespace hone::app
