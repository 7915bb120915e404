// SPDX-License-Identifier: Apache-2.0
#include "hone/kconfig/files/project.h"

#include <sys/utsname.h>

#include "hone/kconfig/files/kernel_environment.h"
#include "hone/kconfig/language/make_value.h"
#include "hone/kconfig/language/source_folders.h"

namespace hone::kconfig {
namespace {

namespace fs = std::filesystem;

// By a file that only such a tree has.
struct Preparation {
  const char* marker;
  const char* text;
};
constexpr Preparation kPreparations[] = {
    {"scripts/genconfig.sh", "bash scripts/genconfig.sh"},
    {"scripts/gen_build_files.sh", "sh scripts/gen_build_files.sh . ."},
    {"scripts/feeds", "make prepare-tmpinfo"},
    {"scripts/crosstool-NG.sh", "./bootstrap && ./configure --enable-local"},
    {"tools/mkconfig.c",
     "tools/configure.sh BOARD:CONFIG, with the repository nuttx-apps as ../apps, and grant that "
     "with "
     "--read"},
    {"support/build/config-submenu.sh", "mkdir -p build/kconfig"},
    {"Kconfig.zephyr",
     "west build --cmake-only -b BOARD APP, and give what it exports (KCONFIG_BINARY_DIR, "
     "ARCH_DIR, "
     "…) in the environment"},
    {"tools/idf.py",
     "idf.py reconfigure, and give COMPONENT_KCONFIGS_SOURCE_FILE and "
     "COMPONENT_KCONFIGS_PROJBUILD_SOURCE_FILE in the environment"}};

std::string PreparationOf(const fs::path& root) {
  std::error_code ignored;
  for (const Preparation& row : kPreparations) {
    if (fs::exists(root / row.marker, ignored)) return row.text;
  }
  return {};
}

// Without the references to other variables.
std::string PlainValue(const std::string& makefile, std::string_view name) {
  const std::string value = MakeValue(makefile, name);
  return value.substr(0, value.find('$'));
}

std::string Machine() {
  utsname names{};
  uname(&names);
  const std::string machine = static_cast<const char*>(names.machine);
  return machine.size() == 4 && machine[0] == 'i' && machine.ends_with("86") ? "x86" : machine;
}

void AddBuildroot(const fs::path& root, const std::string& makefile, Environment& variables) {
  variables["BR2_VERSION_FULL"] = PlainValue(makefile, "BR2_VERSION");
  variables["BR2_HIDE_SECONDARY_TARGET_OPTIONS"] = "n";
  variables["BASE_DIR"] = (root / "output").string();
  variables["HOSTARCH"] = Machine();
}

void AddNuttx(const fs::path& root, Environment& variables) {
  std::error_code ignored;
  const fs::path apps = root.parent_path() / "apps";
  for (const char* name : {"APPSDIR", "APPSBINDIR"}) variables[name] = apps.string();
  variables["BINDIR"] = root.string();
  variables["EXTERNALDIR"] = fs::exists(root / "external/Kconfig", ignored) ? "external" : "dummy";
}

void AddUnikraft(const fs::path& root, Environment& variables) {
  const std::string version = ReadTreeFile(root, "version.mk").value_or("");
  variables["UK_FULLVERSION"] = PlainValue(version, "UK_VERSION") + "." +
                                PlainValue(version, "UK_SUBVERSION") + "." +
                                PlainValue(version, "UK_EXTRAVERSION");
  variables["UK_CODENAME"] = PlainValue(version, "UK_CODENAME");
  for (const char* name : {"UK_BASE", "UK_APP"}) variables[name] = root.string();
  variables["UK_NAME"] = root.filename().string();
  for (const char* name : {"UK_ARCH", "HOST_ARCH"}) variables[name] = Machine();
  variables["KCONFIG_DIR"] = (root / "build/kconfig").string();
  variables["KCONFIG_PLAT_BASE"] = (root / "plat").string();
  variables["KCONFIG_LIB_BASE"] = (root / "lib").string();
  variables["KCONFIG_DRIV_BASE"] = (root / "drivers").string();
  for (const char* name :
       {"KCONFIG_EPLAT_DIRS", "KCONFIG_ELIB_DIRS", "KCONFIG_EAPP_DIR", "KCONFIG_EXCLUDEDIRS"}) {
    variables[name] = "";
  }
}

void AddUclibc(const std::string& rules, Environment& variables) {
  variables["VERSION"] = PlainValue(rules, "MAJOR_VERSION") + "." +
                         PlainValue(rules, "MINOR_VERSION") + "." + PlainValue(rules, "SUBLEVEL") +
                         PlainValue(rules, "EXTRAVERSION");
}

}  // namespace

Project ProjectAt(const fs::path& root) {
  Project project;
  project.preparation = PreparationOf(root);
  std::error_code ignored;
  const auto has = [&](const char* name) { return fs::exists(root / name, ignored); };
  const std::string makefile = ReadTreeFile(root, "Makefile").value_or("");
  const auto mentions = [&](const char* word) { return makefile.find(word) != std::string::npos; };
  Environment& variables = project.variables;
  project.is_its_folder = !has("arch/Kconfig") && !has("scripts/Kconfig.include");
  if (mentions("UBOOTVERSION")) variables["UBOOTVERSION"] = KernelVersion(root);
  if (mentions("BR2_VERSION :=")) AddBuildroot(root, makefile, variables);
  if (has("tools/mkconfig.c")) AddNuttx(root, variables);
  if (has("extra/Configs/Config.in")) {
    AddUclibc(ReadTreeFile(root, "Rules.mak").value_or(""), variables);
  }
  project.needs_free_commands = has("support/build/config-submenu.sh");
  if (project.needs_free_commands) AddUnikraft(root, variables);
  if (has("util/kconfig") && has("src/Kconfig")) {
    variables = {{"top", root.string()}, {"src", "src"}, {"obj", (root / "build").string()}};
  }
  if (mentions("XEN_FULLVERSION")) {
    variables["XEN_FULLVERSION"] = PlainValue(makefile, "XEN_VERSION") + "." +
                                   PlainValue(makefile, "XEN_SUBVERSION") +
                                   PlainValue(makefile, "XEN_EXTRAVERSION");
  }
  return project;
}

std::string MajorVersionOf(const std::string& version_text) {
  const std::size_t word = version_text.rfind(' ');
  if (word == std::string::npos) return {};
  const std::string version = version_text.substr(word + 1);
  const std::size_t end = version.find_first_not_of("0123456789");
  return version.substr(0, end);
}

}  // namespace hone::kconfig
