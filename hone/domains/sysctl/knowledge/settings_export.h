// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/base/json/json.h"
#include "hone/core/result.h"

// Files that a person installs so that a machine runs what a campaign found.
// docs/formats/settings.md describes them; ReadSettingsFile reads each of them back.
namespace hone::sysctl {

enum class SettingsForm { kSysctl, kTuned, kTmpfiles, kJson, kScript };

// Of a network device, or of a control group, which comes with its service: only JSON and scripts
// can set it.
bool HasNoFileAtBoot(std::string_view path);

std::string_view NameOf(SettingsForm form);  // "sysctl.d", "tuned", "tmpfiles.d", "json", "script"
std::optional<SettingsForm> SettingsFormOf(std::string_view name);

struct ExportedSetting {
  std::string path;
  std::string before;
  std::string after;
  std::string effect;   // "+10.2 % [+8.1 %, +12.4 %]": the loss if it alone is put back. Or empty.
  std::string summary;  // What the parameter does; empty if nothing is known.
  std::string undo = {};  // Where `before` cannot be written: what to do instead, one sentence.
  std::string file = {};  // Of a service's key: where it stands, and as what ("/etc/…: key 1").
};

struct SettingsExport {
  std::string run;       // "sysctl-3"
  std::string workload;  // What it was measured with.
  std::string verdict;   // One line: the gain with its interval.
  std::string date;
  std::string machine;  // One line: CPU, memory.
  std::string kernel;
  std::string version;                    // Of Hone.
  std::vector<ExportedSetting> settings;  // In an order in which the kernel takes them.
  std::vector<std::string> services;      // Those whose keys are among them, by name.
};

std::string ExportSettings(const SettingsExport& what, SettingsForm form);

// The settings alone, as they stand in the member "settings" of the JSON form.
Json SettingsJson(const SettingsExport& what);

}  // namespace hone::sysctl
