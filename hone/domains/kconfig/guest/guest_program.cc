// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/guest/guest_program.h"

#include <fmt/format.h>

#include "hone/base/file.h"
#include "hone/base/process/subprocess.h"
#include "hone/base/sha256.h"
#include "hone/base/temp_dir.h"
#include "hone/domains/kconfig/guest/guest_sources.h"

namespace hone::kernels {
namespace {

std::string DigestOfSources() {
  std::string all;
  for (const EmbeddedFile& file : GuestSources()) all += file.text;
  return Sha256Of(all);
}

}  // namespace

Result<std::string> GuestProgram(const GuestArch& arch, const std::filesystem::path& folder) {
  const std::string compiler = CrossPrefix(arch) + "gcc";
  const auto kept = folder / fmt::format("guest-init-{}-{}", arch.name, DigestOfSources());
  if (auto known = ReadFile(kept)) return known;
  auto scratch = TempDir::Make("hone-guest-init");
  if (!scratch) return scratch.error();
  const auto program = scratch->path() / "guest_init";
  Command command;
  command.arguments = {compiler, "-std=c11", "-O2", "-static",
                       "-s",     "-Wall",    "-o",  program.string()};
  for (const EmbeddedFile& file : GuestSources()) {
    const auto source = scratch->path() / std::filesystem::path(file.name).filename();
    if (auto written = WriteFileAtomically(source, file.text); !written) return written.error();
    if (source.extension() == ".c") command.arguments.push_back(source.string());
  }
  const auto ran = RunProcess(command);
  if (!ran) return ran.error();
  if (ran->end != ProcessResult::End::kExited || ran->status != 0) {
    return Error{Errc::kUnavailable,
                 fmt::format("{} cannot compile the guest's first program (is its C library there, "
                             "libc6-dev-…-cross?): {}",
                             compiler, ran->errors)};
  }
  auto built = ReadFile(program);
  if (!built) return built.error();
  if (MakeFolder(folder)) static_cast<void>(WriteFileAtomically(kept, *built));
  return built;
}

}  // namespace hone::kernels
