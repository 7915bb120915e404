// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <map>
#include <memory>
#include <ostream>
#include <sstream>

#include "hone/base/file.h"
#include "hone/base/json/json.h"
#include "hone/cli/text/readable.h"
#include "hone/cli/verbs/sysctl_actions.h"
#include "hone/domains/sysctl/apply/host_lock.h"
#include "hone/domains/sysctl/apply/journal.h"
#include "hone/domains/sysctl/apply/pending_confirmation.h"
#include "hone/domains/sysctl/apply/transaction.h"
#include "hone/domains/sysctl/knowledge/knowledge.h"
#include "hone/domains/sysctl/knowledge/known_file.h"
#include "hone/domains/sysctl/knowledge/settings_here.h"
#include "hone/domains/sysctl/services/keys_beside.h"
#include "hone/domains/sysctl/services/named_services.h"
#include "hone/tune/campaign/words.h"

namespace hone::cli {
namespace {

using sysctl::ApplyReport;
using sysctl::Couplings;
using sysctl::KernelFiles;
using sysctl::Knowledge;
using sysctl::NameOfPath;
using sysctl::ParameterFacts;
using sysctl::ParameterTransaction;
using sysctl::RestoreReport;
using sysctl::Setting;
using sysctl::TransactionSettings;

Result<std::string> OnlyOperand(const SysctlRequest& request, const std::string& action) {
  if (request.operands.size() == 1) return request.operands[0];
  return Error{Errc::kInvalidArgument,
               fmt::format("hone sysctl {}: expected one FILE, found {} operands", action,
                           request.operands.size())};
}

Result<void> ExpectNoOperand(const SysctlRequest& request, const std::string& action) {
  if (request.operands.empty()) return {};
  return Error{Errc::kInvalidArgument, fmt::format("hone sysctl {}: expected no operand, found {}",
                                                   action, request.operands[0])};
}

Result<std::string> ReadSettings(const std::string& file) {
  if (file != "-") return ReadFile(file);
  std::ostringstream text;
  text << std::cin.rdbuf();
  return text.str();
}

// What a file sets on this machine.
struct SettingsHere {
  sysctl::Services services;           // That the user chose, or that the file names.
  std::unique_ptr<KernelFiles> files;  // With the keys of these services.
  std::vector<Setting> settings;
};

Result<SettingsHere> SettingsIn(const std::string& file, const SysctlRequest& request) {
  const auto text = ReadSettings(file);
  if (!text) return text.error();
  const std::string what = file == "-" ? "standard input" : file;
  const auto chosen = sysctl::ReadServicesNamed(request.services);
  if (!chosen) return chosen.error();
  auto services = sysctl::ServicesIn(*text, what, *chosen);
  if (!services) return services.error();
  SettingsHere here{*services, sysctl::MakeKeysBeside(sysctl::MakeHostFiles(), *services), {}};
  auto settings = sysctl::ReadSettingsHere(*text, what, *here.files);
  if (!settings) return settings.error();
  here.settings = std::move(*settings);
  return here;
}

// By what is known of it.
Result<void> CheckParameter(const SettingsHere& here, const Setting& setting,
                            const sysctl::MachineSizes& sizes, const SysctlRequest& request) {
  const auto path = sysctl::ParameterPath::Of(setting.path);
  if (!path) return path.error();
  const auto known = sysctl::FactsOfFile(*here.files, Knowledge::Builtin(), *path);
  if (!known) return known.error();
  const ParameterFacts* const facts = *known;
  const std::string name = NameOfPath(setting.path);
  if (facts == nullptr) {
    if (request.is_unknown_allowed) return {};
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: nothing is known of this parameter; to set it all the same, "
                             "add --allow-unknown",
                             name)};
  }
  if (facts->risk == sysctl::Risk::kDenied) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: Hone never changes this one: {}", name,
                             facts->caution.empty() ? facts->summary : facts->caution)};
  }
  if (facts->risk == sysctl::Risk::kLinkReset && !request.is_disruption_allowed) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: setting it may take the network link down for a moment; to set "
                             "it all the same, add --allow-disruptive",
                             name)};
  }
  return sysctl::CheckSetting(*here.files, *facts, setting, sizes);
}

Result<void> CheckAllowed(const SettingsHere& here, const SysctlRequest& request) {
  const sysctl::MachineSizes sizes = sysctl::ReadSizes(*here.files);
  for (const Setting& setting : here.settings) {
    auto allowed = sysctl::IsServiceKey(setting.path)
                       ? sysctl::CheckKey(here.services, setting, sizes)
                       : CheckParameter(here, setting, sizes, request);
    if (!allowed) return allowed;
  }
  return {};
}

Json ParameterChangesJson(const std::vector<sysctl::Change>& changes) {
  Json list = Json::array();
  for (const sysctl::Change& change : changes) {
    list.push_back({{"name", NameOfPath(change.path)},
                    {"path", change.path},
                    {"before", change.before},
                    {"after", change.after}});
  }
  return list;
}

void TellChanges(std::ostream& out, const std::string& title,
                 const std::vector<sysctl::Change>& changes) {
  if (changes.empty()) return;
  out << title << '\n';
  TableRows rows;
  for (const sysctl::Change& change : changes) {
    rows.push_back({NameOfPath(change.path), change.before, "->", change.after});
  }
  out << TableText(rows);
}

struct Applied {
  ApplyReport report;
  std::vector<Setting> originals;
  std::optional<std::chrono::milliseconds> confirm_within;
};

Json AppliedJson(const Applied& applied) {
  std::map<std::string, std::string> before;
  for (const Setting& original : applied.originals) before[original.path] = original.text;
  Json list = Json::array();
  for (const auto& written : applied.report.written) {
    list.push_back({{"name", NameOfPath(written.asked.path)},
                    {"path", written.asked.path},
                    {"before", before[written.asked.path]},
                    {"asked", written.asked.text},
                    {"in_force", written.in_force}});
  }
  Json json = {{"applied", list},
               {"side_effects", ParameterChangesJson(applied.report.side_effects)},
               {"noticed", ParameterChangesJson(applied.report.noticed)},
               {"confirm_within_ms", nullptr}};
  if (applied.confirm_within) json["confirm_within_ms"] = applied.confirm_within->count();
  return json;
}

void TellApplied(Shell& shell, const Applied& applied) {
  if (shell.wants_json) {
    shell.console.out << Dump(AppliedJson(applied)) << '\n';
    return;
  }
  std::ostream& out = shell.console.out;
  if (applied.report.written.empty()) {
    out << "Nothing to do: all of it is in force already.\n";
    return;
  }
  std::map<std::string, std::string> before;
  for (const Setting& original : applied.originals) before[original.path] = original.text;
  TableRows rows;
  for (const auto& [asked, in_force] : applied.report.written) {
    rows.push_back({NameOfPath(asked.path), before[asked.path], "->", in_force,
                    in_force == asked.text ? "" : fmt::format("(asked for {})", asked.text)});
  }
  out << "In force now:\n" << TableText(rows);
  TellChanges(out, "Changed with it:", applied.report.side_effects);
  TellChanges(out,
              "Changed meanwhile, perhaps by somebody else, and left so:", applied.report.noticed);
  if (applied.confirm_within) {
    out << fmt::format(
        "All of it goes back in {0} unless you run:  {1} sysctl confirm\n"
        "To go back at once:  {1} sysctl restore\n",
        tune::DurationText(*applied.confirm_within), shell.invocation.program);
  } else {
    out << fmt::format(
        "To go back:  {} sysctl restore --applied\n"
        "A restart of the machine forgets kernel parameters; to keep them, install the file\n"
        "(hone export --as sysctl.d). Files of services stay.\n",
        shell.invocation.program);
  }
}

// A transaction lasts until all is written, so that its guardian undoes everything if this process
// ends half way.
Result<Applied> ApplyFile(const SettingsHere& here, const std::string& file, Couplings couplings,
                          const SysctlRequest& request) {
  const auto lock = sysctl::LockHost();
  if (!lock) return lock.error();
  TransactionSettings transaction_settings;
  std::vector<std::string> paths;
  paths.reserve(here.settings.size());
  for (const Setting& setting : here.settings) paths.push_back(setting.path);
  transaction_settings.paths = sysctl::WrittenPaths(here.services, paths);
  transaction_settings.files = sysctl::FilesOf(here.services, paths);
  transaction_settings.couplings = std::move(couplings);
  transaction_settings.is_left_alone = [&here](const std::string& path) {
    return sysctl::IsLeftAlone(*here.files, Knowledge::Builtin(), path);
  };
  transaction_settings.folder = sysctl::DefaultTransactionFolder();
  transaction_settings.reason = "hone sysctl apply " + file;
  const auto transaction = ParameterTransaction::Take(*here.files, transaction_settings);
  if (!transaction) return transaction.error();
  const auto settings =
      sysctl::AsFileSettings(here.services, here.settings, (*transaction)->files());
  if (!settings) return settings.error();
  auto report = (*transaction)->Apply(*settings);
  if (!report) return report.error();
  Applied applied{std::move(*report), (*transaction)->originals(), request.confirm_within};
  if (applied.report.written.empty()) {
    applied.confirm_within.reset();
    return applied;
  }
  const auto ended = request.confirm_within
                         ? (*transaction)->LeaveToConfirm(*request.confirm_within)
                         : (*transaction)->Commit();
  if (!ended) return ended.error();
  return applied;
}

struct Compared {
  Setting setting;
  std::optional<std::string> in_force;  // Nothing: it is not there, or cannot be read.
  std::string why;

  bool IsEqual() const { return in_force == setting.text; }
};

std::vector<Compared> CompareWithHost(KernelFiles& files, const std::vector<Setting>& settings) {
  std::vector<Compared> list;
  for (const Setting& setting : settings) {
    Compared compared{setting, std::nullopt, ""};
    if (auto text = files.Read(setting.path)) {
      compared.in_force = std::move(*text);
    } else {
      compared.why = text.error().message;
    }
    list.push_back(std::move(compared));
  }
  return list;
}

void TellCompared(Shell& shell, const std::vector<Compared>& list, bool are_equal) {
  if (shell.wants_json) {
    Json parameters = Json::array();
    for (const Compared& one : list) {
      parameters.push_back({{"name", NameOfPath(one.setting.path)},
                            {"path", one.setting.path},
                            {"file", one.setting.text},
                            {"in_force", one.in_force ? Json(*one.in_force) : Json(nullptr)},
                            {"equal", one.IsEqual()}});
    }
    shell.console.out << Dump({{"equal", are_equal}, {"parameters", parameters}}) << '\n';
    return;
  }
  if (are_equal) {
    shell.console.out << fmt::format("In force as the file says: {}{}.\n",
                                     list.size() == 1 ? "" : "all ",
                                     tune::CountText(std::ssize(list), "parameter"));
    return;
  }
  TableRows rows{{"PARAMETER", "IN FORCE", "FILE"}};
  for (const Compared& one : list) {
    if (one.IsEqual()) continue;
    rows.push_back({NameOfPath(one.setting.path), one.in_force.value_or("(cannot be read)"),
                    one.setting.text});
  }
  shell.console.out << TableText(rows, "");
}

struct PutBack {
  std::optional<RestoreReport> report;
  std::string what;             // Of what kind it was, for people.
  bool is_by_guardian = false;  // It was there when we looked, and back before we could begin.
  std::optional<sysctl::AppliedToStay> applied;  // What stays, because nobody asked to undo it.
};

// What waits to be confirmed, or what a dead transaction left.
Result<PutBack> PutBackLeft(KernelFiles& files, bool is_waiting) {
  const auto folder = sysctl::DefaultTransactionFolder();
  auto report =
      is_waiting ? sysctl::RevertKept(files, folder) : sysctl::RestoreAfterCrash(files, folder);
  if (!report) return report.error();
  PutBack done{std::move(*report), "", false, {}};
  done.what = is_waiting ? "what waited to be confirmed" : "what a tuner had left";
  done.is_by_guardian = !done.report;
  return done;
}

// The newest of what was applied to stay.
Result<PutBack> PutBackApplied(KernelFiles& files) {
  auto report = sysctl::RestorePrevious(files, sysctl::DefaultTransactionFolder());
  if (!report) return report.error();
  return PutBack{std::move(*report), "what was applied last", false, {}};
}

std::string AppliedTitle(const sysctl::AppliedToStay& applied) {
  return fmt::format("Applied to stay by \"{}\" ({}), and not undone:", applied.reason,
                     applied.started);
}

// At a terminal only.
bool IsToUndo(Shell& shell, const sysctl::AppliedToStay& applied) {
  if (::isatty(STDIN_FILENO) == 0 || !shell.console.is_err_terminal || shell.wants_json) {
    return false;
  }
  TellChanges(shell.console.err, AppliedTitle(applied), applied.changes);
  shell.console.err << "Undo it? [y/N] " << std::flush;
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

// One step. What was applied to stay is somebody's decision: a wish to be rid of what a tuner left,
// or a confirmation that came too late, must not undo it.
Result<PutBack> PutBackOne(Shell& shell, KernelFiles& files, const SysctlRequest& request) {
  const auto folder = sysctl::DefaultTransactionFolder();
  const auto journal = sysctl::Journal::Read(folder);
  if (!journal) return journal.error();
  if (*journal) {
    const bool is_waiting = (*journal)->state.keep_until_ms.has_value();
    return PutBackLeft(files, is_waiting && !request.wants_boot);
  }
  if (request.wants_boot) return PutBack{};
  if (request.wants_applied) return PutBackApplied(files);
  auto applied = sysctl::NewestApplied(files, folder);
  if (!applied) return applied.error();
  if (*applied && IsToUndo(shell, **applied)) return PutBackApplied(files);
  return PutBack{std::nullopt, "", false, std::move(*applied)};
}

Json AppliedToStayJson(const std::optional<sysctl::AppliedToStay>& applied) {
  if (!applied) return nullptr;
  return {{"reason", applied->reason},
          {"started", applied->started},
          {"changes", ParameterChangesJson(applied->changes)}};
}

// Nothing was put back by us.
void TellWhyNothing(Shell& shell, const PutBack& done) {
  std::ostream& out = shell.console.out;
  out << (done.is_by_guardian ? "The guardian has put it back.\n" : "Nothing to put back.\n");
  const std::string note = sysctl::LastGuardianNote(sysctl::DefaultTransactionFolder());
  if (!note.empty()) out << "The last time a guardian had to:\n" << note;
  if (!done.applied) return;
  out << AppliedTitle(*done.applied) << '\n';
  TellChanges(out, "Undoing it would change:", done.applied->changes);
  out << fmt::format("To undo it:  {} sysctl restore --applied\n", shell.invocation.program);
}

void TellPutBack(Shell& shell, const PutBack& done) {
  std::ostream& out = shell.console.out;
  if (shell.wants_json) {
    const RestoreReport report = done.report.value_or(RestoreReport{});
    out << Dump({{"found", done.report.has_value()},
                 {"by_guardian", done.is_by_guardian},
                 {"applied", AppliedToStayJson(done.applied)},
                 {"restored", ParameterChangesJson(report.restored)},
                 {"kept", ParameterChangesJson(report.kept)},
                 {"failed", ParameterChangesJson(report.failed)},
                 {"noticed", ParameterChangesJson(report.noticed)},
                 {"reload_faults", report.reload_faults}})
        << '\n';
    return;
  }
  if (!done.report) return TellWhyNothing(shell, done);
  if (done.report->restored.empty()) {
    out << fmt::format("Of {} everything is back already.\n", done.what);
  }
  TellChanges(out, fmt::format("Put back, of {}:", done.what), done.report->restored);
  TellChanges(out, "Changed by somebody else meanwhile, and left so:", done.report->kept);
  TellChanges(out, "Not put back:", done.report->failed);
  for (const std::string& fault : done.report->reload_faults) out << fault << '\n';
  TellChanges(out,
              "Not Hone's, but not as it was at the start either; left so:", done.report->noticed);
}

}  // namespace

Result<ExitCode> ApplySettings(Shell& shell, const SysctlRequest& request) {
  const auto file = OnlyOperand(request, "apply");
  if (!file) return file.error();
  auto here = SettingsIn(*file, request);
  if (!here) return here.error();
  Couplings couplings = sysctl::CouplingsOf(here->settings, *here->files);
  sysctl::DropTwinsThatAreOff(here->settings, couplings);
  if (auto allowed = CheckAllowed(*here, request); !allowed) return allowed.error();
  const auto applied = ApplyFile(*here, *file, std::move(couplings), request);
  if (!applied) return applied.error();
  TellApplied(shell, *applied);
  return ExitCode::kYes;
}

Result<ExitCode> ConfirmSettings(Shell& shell, const SysctlRequest& request) {
  if (auto none = ExpectNoOperand(request, "confirm"); !none) return none.error();
  const auto files = sysctl::MakeHostFiles();
  const auto confirmed = sysctl::ConfirmKept(*files, sysctl::DefaultTransactionFolder());
  if (!confirmed) return confirmed.error();
  if (shell.wants_json) {
    shell.console.out << Dump({{"confirmed", true}}) << '\n';
  } else {
    shell.console.out << fmt::format(
        "Confirmed: it stays in force. To go back:  {} sysctl restore --applied\n",
        shell.invocation.program);
  }
  return ExitCode::kYes;
}

Result<ExitCode> DiffSettings(Shell& shell, const SysctlRequest& request) {
  const auto file = OnlyOperand(request, "diff");
  if (!file) return file.error();
  const auto here = SettingsIn(*file, request);
  if (!here) return here.error();
  const auto list = CompareWithHost(*here->files, here->settings);
  const bool are_equal =
      std::all_of(list.begin(), list.end(), [](const Compared& one) { return one.IsEqual(); });
  TellCompared(shell, list, are_equal);
  return are_equal ? ExitCode::kYes : ExitCode::kNo;
}

Result<ExitCode> RestoreSettings(Shell& shell, const SysctlRequest& request) {
  if (auto none = ExpectNoOperand(request, "restore"); !none) return none.error();
  const auto files = sysctl::MakeHostFiles();
  const auto done = PutBackOne(shell, *files, request);
  if (!done) return done.error();
  TellPutBack(shell, *done);
  if (done->applied) return ExitCode::kNo;
  const bool is_all_back =
      !done->report || (done->report->IsClean() && done->report->reload_faults.empty());
  return is_all_back ? ExitCode::kYes : ExitCode::kNo;
}

}  // namespace hone::cli
