// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/compute/backends/shown_program.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>

#include "hone/base/errno_error.h"
#include "hone/base/file.h"
#include "hone/core/rng.h"

namespace hone::compute {

Result<std::filesystem::path> ShownProgram(const std::filesystem::path& cache,
                                           const std::string& name, std::string_view image) {
  const std::filesystem::path file = cache / fmt::format("{}-{:016x}", name, DigestOf(image));
  const auto there = ReadFile(file, image.size());
  if (!there || *there != image) {
    if (auto made = MakeFolder(cache); !made) return made.error();
    if (auto written = WriteFileDurably(file, image); !written) return written.error();
  }
  if (::chmod(file.c_str(), 0755) != 0) return ErrnoError(file.native(), errno);
  return file;
}

}  // namespace hone::compute
