// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "hone/kconfig/tree/tree.h"

namespace hone::kconfig {

// A parsed tree as bytes, for ImageReader's conditions; without its dialect.
std::string ImageOf(const Tree& tree);

// The tree again; its texts point into the image, which lives as long as `storage`. Null if the
// image ends too early. Whether it is the same as was written is for a checksum to say.
std::shared_ptr<const Tree> TreeFromImage(std::string_view image, const Dialect& dialect,
                                          std::shared_ptr<const void> storage);

}  // namespace hone::kconfig
