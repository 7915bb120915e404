// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/kconfig_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "hone/base/file.h"
#include "hone/domains/kconfig/guest/guest_result.h"
#include "hone/domains/option_reader.h"

namespace hone::kernels {
namespace {

constexpr std::size_t kMaxOptionsFile = 1 << 20;
constexpr std::size_t kMaxText = 1000;

std::vector<std::string> Words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  for (const char letter : text + ",") {
    if (letter != ',' && letter != ' ') {
      word += letter;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  return words;
}

}  // namespace

const std::vector<OptionFacts>& KconfigOptionFacts() {
  static const std::vector<OptionFacts> facts{
      {"tree", "", "The folder of the kernel's source, unpacked and clean."},
      {"arch", "", "For which processor: x86_64, arm64 or riscv; this machine's if empty."},
      {"base", "small",
       "What to begin with: small, tiny, defconfig, or a .config file; with wishes after commas: "
       "small,PREEMPT=y."},
      {"options", "",
       "What may change, separated by commas, or @FILE: NAME, NAME=a|b, NAME=1..9, boot:NAME=a|b, "
       "sysctl:NAME=a|b."},
      {"menu", "",
       "And all options of these menus that could be set now, separated by semicolons: \"Processor "
       "type and features\"."},
      {"about", "",
       "And all options known to matter for this, as a sentence: \"faster system calls, keep "
       "security\"."},
      {"allow", "", "Protected options that may change all the same, separated by commas."},
      {"workloads", "all", "What is measured, separated by commas: syscall, fork, pipe, …"},
      {"workload", "",
       "In place of those, one of your own: a file as `hone tune FILE.json` reads it, or a preset "
       "such as redis; its programs are taken along into the guest."},
      {"measure", "instructions",
       "instructions: virtual time is what was executed, exact for a seed; time: the wall clock of "
       "KVM, or of TCG, which says little."},
      {"accelerator", "auto",
       "Who runs guests: kvm (for time only, where /dev/kvm is and the processor is this "
       "machine's; not tried by us yet), tcg, or auto: kvm for time where it can, else tcg."},
      {"machine", "", "Of QEMU, for x86_64: microvm (if empty) or q35."},
      {"memory_mib", "256", "Of the guest."},
      {"build_limit_s", "3600", "A build that takes longer is given up."},
      {"identity", "",
       "Of tree, tools, base, benchmark and QEMU: with others it is refused. A campaign notes it "
       "when "
       "it begins."}};
  return facts;
}

Result<KconfigSettings> ReadKconfigSettings(const Options& options) {
  OptionReader reader("kconfig", KconfigOptionFacts(), options);
  KconfigSettings settings;
  settings.tree = reader.Text("tree");
  settings.arch = reader.Text("arch");
  settings.request.base = reader.Text("base");
  settings.request.options = reader.Text("options");
  settings.request.menus = reader.Text("menu");
  settings.request.about = reader.Text("about");
  for (const char* name : {"menu", "about"}) {
    if (reader.Text(name).size() > kMaxText) reader.Fail(name, "too long: at most 1000 letters");
  }
  settings.request.allowed = Words(reader.Text("allow"));
  settings.workloads = Words(reader.Text("workloads"));
  settings.workload = reader.Text("workload");
  settings.counts_instructions =
      reader.Choice("measure", {"instructions", "time"}) == "instructions";
  settings.accelerator = reader.Choice("accelerator", {"auto", "kvm", "tcg"});
  settings.machine = reader.Text("machine");
  settings.memory_mib = static_cast<int>(reader.Integer("memory_mib", 32, 65536));
  settings.build_limit = std::chrono::seconds{reader.Integer("build_limit_s", 1, 86400)};
  settings.identity = reader.Text("identity");
  if (settings.tree.empty()) reader.Fail("tree", "name the folder of a kernel's source");
  if (settings.workloads == std::vector<std::string>{"all"}) settings.workloads = WorkloadNames();
  const auto& known = WorkloadNames();
  for (const std::string& name : settings.workloads) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      reader.Fail("workloads", fmt::format("{}: there are {}", name, fmt::join(known, ", ")));
    }
  }
  if (auto fine = reader.Finish(); !fine) return fine.error();
  return settings;
}

Result<void> ReadFiles(KconfigSettings& settings, const WorkloadReader& read_workload) {
  std::string& options = settings.request.options;
  if (options.starts_with('@')) {
    auto text = ReadRegularFile(options.substr(1), kMaxOptionsFile);
    if (!text) return text.error();
    options = std::move(*text);
  }
  if (settings.workload.empty()) return {};
  auto workload = read_workload(settings.workload);
  if (!workload) return workload.error();
  for (const std::string& need : workload->needs) settings.request.base += "," + need;
  if (!workload->disk.empty()) settings.request.base += ",BLOCK=y,BLK_DEV=y,VIRTIO_BLK=y";
  settings.memory_mib = std::max(settings.memory_mib, workload->memory_mib);
  auto packed = Pack(std::move(*workload));
  if (!packed) return packed.error();
  settings.own = std::move(*packed);
  settings.workloads.clear();
  return {};
}

}  // namespace hone::kernels
