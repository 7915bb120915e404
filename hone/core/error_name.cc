// SPDX-License-Identifier: Apache-2.0
#include "hone/core/error_name.h"

namespace hone {

std::string_view NameOf(Errc code) {
  switch (code) {
    case Errc::kInvalidArgument:
      return "invalid_argument";
    case Errc::kNotFound:
      return "not_found";
    case Errc::kConflict:
      return "conflict";
    case Errc::kStale:
      return "stale";
    case Errc::kUnavailable:
      return "unavailable";
    case Errc::kUnsupported:
      return "unsupported";
    case Errc::kCorrupt:
      return "corrupt";
  }
  return "unknown";
}

}  // namespace hone
