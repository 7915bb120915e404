// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/network/namespace_holder_image.h"

#include "hone/base/process/embedded_program.h"
#include "hone/core/embedded_file.h"

HONE_EMBED(kHoneNamespaceHolder, HONE_NAMESPACE_HOLDER_FILE)

namespace hone::sysctl {

Result<std::string> NamespaceHolderPath() {
  static const auto* const file =
      new Result<Descriptor>(UnpackProgram("hone-network", kHoneNamespaceHolder()));
  if (!*file) return file->error();
  return PathOfProgram(**file);
}

}  // namespace hone::sysctl
