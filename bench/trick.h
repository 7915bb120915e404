// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace hone {

// The part of a source in which variants of an honest kernel differ.
struct Trick {
  const char* kind;
  const char* name;
  const char* body;
};

}  // namespace hone
