// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs.h"
#include "hone/domains/sysctl/kernel/kernel_files.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/path_pattern.h"
#include "hone/domains/sysctl/knowledge/settings_file.h"
#include "hone/domains/sysctl/knowledge/settings_here.h"
#include "hone/domains/sysctl/services/keys_beside.h"
#include "hone/domains/sysctl/services/named_services.h"

namespace hone::cli {
namespace {

using sysctl::KernelFiles;
using sysctl::Setting;

enum class TaskStatus { kSame, kDiffers, kAbsent };

std::string_view NameOf(TaskStatus standing) {
  switch (standing) {
    case TaskStatus::kSame:
      return "same";
    case TaskStatus::kDiffers:
      return "differs";
    case TaskStatus::kAbsent:
      return "absent";
  }
  return "unknown";
}

struct Verified {
  Setting setting;
  TaskStatus standing = TaskStatus::kAbsent;
  std::string now;  // What is in force, or why that cannot be said.
};

// A pattern stands for everything that it matches; one that matches nothing stays, as absent.
std::vector<Setting> Expanded(KernelFiles& files, const Setting& setting) {
  if (!sysctl::IsPattern(setting.path)) return {setting};
  const auto paths = files.Match(setting.path);
  if (!paths || paths->empty()) return {setting};
  std::vector<Setting> settings;
  settings.reserve(paths->size());
  for (const std::string& path : *paths) settings.push_back({path, setting.text});
  return settings;
}

Verified Verify(KernelFiles& files, const Setting& setting) {
  const auto now = files.Read(setting.path);
  if (!now) {
    const bool is_absent = now.error().code == Errc::kNotFound;
    return {setting, is_absent ? TaskStatus::kAbsent : TaskStatus::kDiffers, now.error().message};
  }
  return {setting,
          sysctl::MeanTheSame(setting.path, setting.text, *now) ? TaskStatus::kSame
                                                                : TaskStatus::kDiffers,
          *now};
}

std::string VerifiedText(const std::vector<Verified>& all, const std::string& file) {
  TableRows rows;
  std::size_t same = 0;
  for (const Verified& one : all) {
    std::string note = one.setting.text;
    if (one.standing == TaskStatus::kDiffers) {
      note = fmt::format("{}, the file says {}", one.now, one.setting.text);
    } else if (one.standing == TaskStatus::kAbsent) {
      note = fmt::format("not on this machine, the file says {}", one.setting.text);
    }
    same += one.standing == TaskStatus::kSame ? 1 : 0;
    rows.push_back({std::string(NameOf(one.standing)), sysctl::NameOfPath(one.setting.path), note});
  }
  return TableText(rows, "") +
         (same == all.size()
              ? fmt::format("\nThis machine runs {}: all {} as the file says.\n", file, all.size())
              : fmt::format("\nThis machine does not run {}: {} of {} are as the file says.\n",
                            file, same, all.size()));
}

Json VerifiedJson(const std::vector<Verified>& all, const std::string& file, bool is_same) {
  Json list = Json::array();
  for (const Verified& one : all) {
    list.push_back({{"path", one.setting.path},
                    {"standing", NameOf(one.standing)},
                    {"wanted", one.setting.text},
                    {"now", one.now}});
  }
  return {{"file", file}, {"is_same", is_same}, {"settings", list}};
}

struct VerifyRequest {
  std::string file;
  std::vector<std::string> services;
};

Result<ExitCode> VerifyFile(Shell& shell, const VerifyRequest& request) {
  const std::string& file = request.file;
  const auto text = ReadFile(file);
  if (!text) return text.error();
  const auto chosen = sysctl::ReadServicesNamed(request.services);
  if (!chosen) return chosen.error();
  const auto services = sysctl::ServicesIn(*text, file, *chosen);
  if (!services) return services.error();
  const auto files = sysctl::MakeKeysBeside(sysctl::MakeHostFiles(), *services);
  const auto settings = sysctl::ReadSettingsFile(*text, file, files.get());
  if (!settings) return settings.error();
  std::vector<Verified> all;
  bool is_same = true;
  for (const Setting& setting : *settings) {
    for (const Setting& one : Expanded(*files, setting)) {
      all.push_back(Verify(*files, one));
      is_same = is_same && all.back().standing == TaskStatus::kSame;
    }
  }
  shell.console.out << (shell.wants_json ? Dump(VerifiedJson(all, file, is_same)) + "\n"
                                         : VerifiedText(all, file));
  return is_same ? ExitCode::kYes : ExitCode::kNo;
}

}  // namespace

Verb MakeVerifyVerb() {
  const auto request = std::make_shared<VerifyRequest>();
  Verb verb;
  verb.name = "verify";
  verb.summary = "says whether this machine still runs a file of settings";
  verb.description =
      "Compares the kernel's parameters with a file: what `hone export` wrote, or any file\n"
      "of sysctl.d or tmpfiles.d, or a tuned profile. Changes nothing. The answer no is\n"
      "exit status 1.";
  verb.flags = {{.names = "FILE",
                 .value = "",
                 .help = "The file; what form it has is seen from what is in it.",
                 .set = Store(request->file),
                 .is_required = true,
                 .completes = Completes::kFile},
                {.names = "--service",
                 .value = "NAME|FILE",
                 .help = "The declaration of a service whose keys the file sets, where Hone has "
                         "none of its own.",
                 .set = Append(request->services),
                 .is_repeatable = true,
                 .completes = Completes::kFile}};
  verb.examples = {{"hone verify /etc/sysctl.d/90-hone-sysctl-3.conf",
                    "Whether what was installed is still in force."}};
  verb.run = [request](Shell& shell) { return VerifyFile(shell, *request); };
  return verb;
}

}  // namespace hone::cli
