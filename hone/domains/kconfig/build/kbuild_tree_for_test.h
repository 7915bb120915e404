// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "hone/base/file.h"
#include "hone/base/process/find_program.h"
#include "hone/core/result.h"

// A source tree in kbuild's shape that is built in a second: one object a source, made again when
// an option that it mentions changes. Its image ends with the configuration, so that a guest for
// tests can read it.
namespace hone::kernels {

inline constexpr char kKbuildMakefile[] = R"(VERSION = 6
PATCHLEVEL = 1
SUBLEVEL = 7
bzImage Image:
	@+$(MAKE) --no-print-directory -C $(O) -f $(CURDIR)/Makefile.build S=$(CURDIR) $@
)";
inline constexpr char kKbuildMakefileBuild[] = R"(include .config
image := $(if $(filter x86_64,$(ARCH)),arch/x86/boot/bzImage,arch/$(ARCH)/boot/Image)
bzImage Image: $(image)
$(image): main.o fast.o
	@mkdir -p $(dir $@)
	@cat $^ .config > $@
	@cp $@ vmlinux
	@$(if $(CONFIG_LOST),sed -i /LOST/d .config)
	@$(if $(CONFIG_SLOW),sleep 100)
	@$(if $(CONFIG_WRITES),touch $(S)/written)
	@$(if $(CONFIG_LINKS),rm -rf arch; ln -s $$(cat $(S)/place) arch)
	@$(if $(CONFIG_PIPES),rm .config; mkfifo .config)
	@$(if $(CONFIG_GIT),cat $(S)/.git/HEAD)
	@$(if $(CONFIG_WAITS),touch waits; until grep -q 'value = 2' $(S)/init/main.c; do sleep 0.02; done)
	@$(if $(CONFIG_WAITS),touch goes_on; until grep -q 'value = 1' $(S)/init/main.c; do sleep 0.02; done)
main.o: $(S)/init/main.c
fast.o: $(S)/init/fast.c .config
main.o fast.o:
	@echo "  CC      $@"
	@$(CC) $(if $(CONFIG_BROKEN),-DBROKEN) $(if $(CONFIG_FAST),-DFAST) -c -o $@ $<
	@echo 'deps := $$(wildcard include/config/$(if $(filter fast.o,$@),FAST,MAIN))' > .$@.cmd
)";
inline constexpr char kKbuildSource[] =
    "#ifdef BROKEN\n#error \"it is broken\"\n#endif\nint value = 1;\n";
// Of the same size, with other values.
inline constexpr char kKbuildOtherSource[] =
    "#ifdef BROKEN\n#error \"it is broken\"\n#endif\nint value = 2;\n";
inline constexpr char kKbuildOptions[] = R"(mainmenu "A small tree in kbuild's shape"
config MAIN
	bool "Main"
config FAST
	bool "Faster calls"
config PANICS
	bool "Does not boot"
config BROKEN
	bool "Does not build"
config WIDE
	bool "Does nothing"
config SPEED
	int "How fast"
	range 1 1000
	default 250
)";

inline Result<void> WriteKbuildFile(const std::filesystem::path& file, const std::string& text) {
  if (auto made = MakeFolder(file.parent_path()); !made) return made.error();
  if (auto written = WriteFileAtomically(file, text); !written) return written.error();
  std::error_code fault;
  std::filesystem::permissions(file, std::filesystem::perms(0644), fault);
  return {};
}

inline Result<void> WriteKbuildTree(const std::filesystem::path& tree) {
  for (const auto& [name, text] : {std::pair{"Makefile", kKbuildMakefile},
                                   {"Makefile.build", kKbuildMakefileBuild},
                                   {"Kconfig", kKbuildOptions},
                                   {"init/main.c", kKbuildSource},
                                   {"init/fast.c", kKbuildSource}}) {
    if (auto written = WriteKbuildFile(tree / name, text); !written) return written.error();
  }
  return {};
}

// What such a tree is not built without; empty if all is here.
inline std::string MissingBuildTool() {
  for (const char* tool : {"make", "flex", "bison", "bc", "perl", "gcc"}) {
    if (!FindProgram(tool, SearchPath())) return tool;
  }
  return "";
}

}  // namespace hone::kernels
