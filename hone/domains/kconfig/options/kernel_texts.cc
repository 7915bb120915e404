// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/kconfig/options/kernel_texts.h"

namespace hone::kernels {

std::string_view KernelText(std::string_view name) {
  for (const EmbeddedFile& file : KernelTexts()) {
    if (file.name == name) return file.text;
  }
  return {};
}

}  // namespace hone::kernels
