// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/kernel_environment.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>

#include "hone/base/process/subprocess.h"
#include "hone/kconfig/files/project.h"
#include "hone/kconfig/files/visible.h"
#include "hone/kconfig/language/make_value.h"
#include "hone/kconfig/language/source_folders.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

// Tools that Kconfig files ask about, by the names of the kernel's Makefile.
constexpr std::pair<std::string_view, std::string_view> kTools[] = {
    {"CC", "gcc"},          {"LD", "ld"},           {"AR", "ar"},           {"NM", "nm"},
    {"OBJCOPY", "objcopy"}, {"OBJDUMP", "objdump"}, {"READELF", "readelf"}, {"STRIP", "strip"}};
constexpr std::pair<std::string_view, std::string_view> kHostTools[] = {
    {"HOSTCC", "gcc"},      {"HOSTCXX", "g++"},     {"PAHOLE", "pahole"}, {"RUSTC", "rustc"},
    {"BINDGEN", "bindgen"}, {"CONFIG_SHELL", "sh"}, {"MAKE", "make"}};

constexpr const char* kRootFiles[] = {"Kconfig",   "Config.in",        "src/Kconfig",
                                      "Config.uk", "config/config.in", "extra/Configs/Config.in"};

bool PathExists(const fs::path& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

std::string ArchHere() {
  utsname names{};
  uname(&names);
  return ArchOfMachine(static_cast<const char*>(names.machine));
}

// Some repositories (Xen) have the tree one folder deeper: which to give instead. Every component
// of a large project may have a Kconfig; only a tree has a Makefile beside it too.
std::string TreesBelow(const fs::path& root) {
  std::vector<std::string> trees;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root, ignored)) {
    if (PathExists(entry.path() / "Kconfig") && PathExists(entry.path() / "Makefile")) {
      trees.push_back(entry.path().string());
    }
  }
  std::sort(trees.begin(), trees.end());
  return trees.empty() ? "" : fmt::format("; did you mean {}?", fmt::join(trees, " or "));
}

// Linux and its relatives read the Kconfig of one architecture, arch/$(SRCARCH)/Kconfig, from the
// root file or from arch/Kconfig. Other trees have a folder arch/ for something else, or read all
// of it.
bool ReadsArchFolder(const TreePlace& place) {
  const std::string files[] = {place.file, "arch/Kconfig"};
  return std::any_of(std::begin(files), std::end(files), [&](const std::string& name) {
    const auto text = ReadTreeFile(place.root, name);
    return text && text->find("\"arch/$") != std::string::npos;
  });
}

// Xen and barebox have arm64 in arch/arm. Empty if the tree has no such architecture.
std::string SourceArchIn(const fs::path& root, const std::string& arch) {
  for (const std::string& name : {SourceArchOf(arch), std::string(arch == "arm64" ? "arm" : "")}) {
    if (!name.empty() && PathExists(root / "arch" / name)) return name;
  }
  return {};
}

std::string CompilerVersion(const std::string& compiler, const Environment& environment) {
  Command command;
  command.arguments = {"/bin/sh", "-c",
                       fmt::format("LC_ALL=C {} --version 2>/dev/null | head -n 1", compiler)};
  command.environment.emplace(environment.begin(), environment.end());
  const auto result = RunProcess(command);
  if (!result) return {};
  std::string text = NormaliseShellOutput(result->output);
  std::erase(text, '#');
  return text;
}

// What leads out of the tree is none of its files.
bool LiesIn(const fs::path& root, const fs::path& path) {
  std::error_code fault;
  const std::string real = fs::canonical(path, fault).string();
  return !fault && real.starts_with((root / "").string());
}

}  // namespace

std::string SourceArchOf(std::string_view arch) {
  if (arch == "i386" || arch == "x86_64") return "x86";
  if (arch == "sparc32" || arch == "sparc64") return "sparc";
  if (arch == "parisc64") return "parisc";
  if (arch == "sh64") return "sh";
  return std::string(arch);
}

std::string ArchOfMachine(std::string_view machine) {
  const auto begins = [machine](std::string_view text) { return machine.starts_with(text); };
  if (machine == "x86_64" ||
      (machine.size() == 4 && machine[0] == 'i' && machine.ends_with("86"))) {
    return "x86";
  }
  if (machine == "sun4u") return "sparc64";
  if (begins("aarch64")) return "arm64";
  if (begins("arm") || machine == "sa110") return "arm";
  if (machine == "s390x") return "s390";
  if (begins("ppc")) return "powerpc";
  if (begins("mips")) return "mips";
  if (begins("sh2") || begins("sh3") || begins("sh4")) return "sh";
  if (begins("riscv")) return "riscv";
  if (begins("loongarch")) return "loongarch";
  return std::string(machine);
}

std::string KernelVersion(const fs::path& root) {
  const auto makefile = ReadTreeFile(root, "Makefile");
  if (!makefile) return {};
  const std::string version = MakeValue(*makefile, "VERSION");
  const std::string patch = MakeValue(*makefile, "PATCHLEVEL");
  if (version.empty()) return {};
  std::string text = version;
  if (!patch.empty()) text += "." + patch;
  const std::string sublevel = MakeValue(*makefile, "SUBLEVEL");
  if (!patch.empty() && !sublevel.empty()) text += "." + sublevel;
  return text + MakeValue(*makefile, "EXTRAVERSION");
}

Result<TreePlace> LocateTree(const fs::path& root, std::string_view arch) {
  TreePlace place;
  std::error_code fault;
  place.root = fs::canonical(root, fault);
  if (fault) {
    return Error{Errc::kNotFound, fmt::format("{}: there is no such folder", root.string())};
  }
  bool is_found = false;
  for (const char* name : kRootFiles) {
    if (!PathExists(place.root / name)) continue;
    place.file = name;
    is_found = true;
    break;
  }
  if (!is_found) {
    return Error{Errc::kNotFound, fmt::format("{}: it holds none of {}{}", root.string(),
                                              fmt::join(kRootFiles, ", "), TreesBelow(place.root))};
  }
  // Of no use as anything else, and without its version the tree would be taken for another.
  const auto makefile = ReadTreeFile(place.root, "Makefile");
  if (!makefile && makefile.error().code != Errc::kNotFound) return makefile.error();
  if (arch.find('/') != arch.npos) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("ARCH={}: a path; expected a name such as x86 or arm64", arch)};
  }
  place.arch = arch;
  if (!ReadsArchFolder(place)) return place;
  if (place.arch.empty()) place.arch = ArchHere();
  place.source_arch = SourceArchIn(place.root, place.arch);
  if (place.source_arch.empty()) {
    return Error{
        Errc::kInvalidArgument,
        fmt::format("ARCH={}: {} has no folder arch/{}; it has {}", place.arch, root.string(),
                    SourceArchOf(place.arch), fmt::join(ArchesOf(place.root), ", "))};
  }
  return place;
}

LoadOptions OptionsFor(const TreePlace& place, const Environment& inherited, ShellPolicy shell,
                       const std::vector<fs::path>& granted) {
  LoadOptions options;
  options.granted = granted;
  options.folders = {place.root};
  options.file = place.file;
  options.dialect = DetectDialect(place.root);
  options.shell = shell;
  Environment& environment = options.environment;
  environment = inherited;
  if (const auto prefix = inherited.find("CONFIG_"); prefix != inherited.end()) {
    options.dialect.prefix = prefix->second;
  }
  const auto set = [&](std::string_view name, const std::string& value) {
    environment.emplace(std::string(name), value);
    options.passed.emplace(name);
  };
  set("srctree", place.root.string());
  set("objtree", ".");
  if (!place.arch.empty()) set("ARCH", place.arch);
  if (!place.source_arch.empty()) {
    set("SRCARCH", place.source_arch);
    set("SUBARCH", ArchHere());
    set("HEADER_ARCH", place.source_arch == "um" ? "x86" : place.source_arch);
  }
  const Project project = ProjectAt(place.root);
  for (const auto& [name, value] : project.variables) set(name, value);
  if (project.is_its_folder) options.shell_folder = place.root.string();
  const std::string version = KernelVersion(place.root);
  if (!version.empty()) set("KERNELVERSION", version);
  const auto cross = inherited.find("CROSS_COMPILE");
  const std::string prefix = cross == inherited.end() ? "" : cross->second;
  for (const auto& [name, program] : kTools) set(name, prefix + std::string(program));
  for (const auto& [name, program] : kHostTools) set(name, std::string(program));
  if (!environment.contains("CC_VERSION_TEXT") &&
      (shell == ShellPolicy::kRun || shell == ShellPolicy::kRestricted)) {
    const bool is_free = shell == ShellPolicy::kRun;
    set("CC_VERSION_TEXT",
        CompilerVersion(environment["CC"], is_free ? environment : VisibleEnvironment(options)));
  }
  if (options.dialect.name == "buildroot") {
    set("HOST_GCC_VERSION", MajorVersionOf(environment["CC_VERSION_TEXT"]));
  }
  return options;
}

std::vector<std::string> ArchesOf(const fs::path& root) {
  std::vector<std::string> arches;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(root / "arch", ignored)) {
    if (PathExists(entry.path() / "Kconfig")) arches.push_back(entry.path().filename().string());
  }
  std::sort(arches.begin(), arches.end());
  return arches;
}

std::vector<fs::path> DefconfigsOf(const TreePlace& place) {
  std::vector<fs::path> files;
  std::error_code ignored;
  const fs::path arch = place.root / "arch" / place.source_arch;
  // Trees that do not read one architecture have one folder for all.
  const fs::path folders[] = {place.source_arch.empty() ? place.root / "configs" : arch / "configs",
                              place.source_arch.empty() ? fs::path() : arch};
  for (const fs::path& path : folders) {
    if (!LiesIn(place.root, path)) continue;
    for (const auto& entry : fs::directory_iterator(path, ignored)) {
      const std::string name = entry.path().filename().string();
      if (name != "defconfig" && !name.ends_with("_defconfig")) continue;
      if (!entry.is_regular_file(ignored)) continue;
      if (entry.is_symlink(ignored) && !LiesIn(place.root, entry.path())) continue;
      files.push_back(entry.path());
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace hone::kconfig
