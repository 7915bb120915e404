// SPDX-License-Identifier: Apache-2.0
#include "hone/app/stored/kernel_of_run.h"

#include <fmt/format.h>

#include "hone/app/kconfig/guest_workload_of.h"
#include "hone/app/stored/settings_of_run.h"
#include "hone/domains/kconfig/kconfig_domain.h"
#include "hone/domains/kconfig/kernel_files.h"
#include "hone/tune/campaign/ablation.h"

namespace hone::app {
namespace {

std::string Commented(const std::string& text) {
  std::string lines = "# ";
  for (const char letter : text) {
    lines += letter;
    if (letter == '\n') lines += "# ";
  }
  return lines + "\n";
}

// Who says so, and what each change is worth.
std::string HeadOf(const tune::StoredCampaign& campaign, const tune::Proof& winner) {
  const tune::CampaignSpec& spec = campaign.start.spec;
  std::string head = Commented(fmt::format("{}, {}", campaign.id, ToText(campaign.updated)));
  head += Commented(VerdictText(spec, *campaign.verdict, winner));
  for (const std::string& name :
       tune::ChangedParameters(campaign.start.baseline, winner.candidate)) {
    const std::string effect = EffectText(spec, *campaign.verdict, name);
    head += Commented(fmt::format("{}={}{}{}", name, ToText(winner.candidate.assignment.at(name)),
                                  effect.empty() ? "" : ": ", effect));
  }
  return head;
}

}  // namespace

bool IsAboutKernels(const tune::CampaignHistory& history) {
  return history.campaign.start.spec.domain == kernels::kDomainName;
}

const std::vector<std::string>& KernelForms() {
  static const std::vector<std::string> forms{"fragment", "config", "defconfig"};
  return forms;
}

Result<std::string> KernelOfRun(const tune::CampaignHistory& history, const std::string& form,
                                std::optional<std::size_t> pick) {
  const tune::StoredCampaign& campaign = history.campaign;
  if (!IsAboutKernels(history)) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: it is about {}, not about the options of a kernel", campaign.id,
                             campaign.start.spec.domain)};
  }
  const auto winner = WinnerOf(campaign, pick);
  if (!winner) return winner.error();
  const auto files = kernels::MakeKernelFiles(campaign.start.spec.options,
                                              (*winner)->candidate.assignment, ReadGuestWorkload);
  if (!files) return files.error();
  std::string text = HeadOf(campaign, **winner);
  if (!files->command_line.empty()) {
    text += Commented("On the kernel's command line: " + files->command_line);
  }
  if (!files->sysctls.empty()) text += Commented("In /etc/sysctl.d:\n" + files->sysctls);
  return text + (form == "config"      ? files->config
                 : form == "defconfig" ? files->defconfig
                                       : files->fragment);
}

}  // namespace hone::app
