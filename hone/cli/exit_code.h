// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone::cli {

// What the process returns; scripts depend on it.
enum class ExitCode {
  kYes = 0,     // Done.
  kNo = 1,      // Done, and the answer is no: no gain, a replay that diverges.
  kUsage = 2,   // The command must be corrected.
  kFailed = 3,  // The service failed; the same command may work later or elsewhere.
};

// The one table from errors to exit codes.
constexpr ExitCode ExitCodeOf(Errc code) {
  switch (code) {
    case Errc::kInvalidArgument:
    case Errc::kNotFound:
    case Errc::kConflict:
      return ExitCode::kUsage;
    case Errc::kStale:
    case Errc::kUnavailable:
    case Errc::kUnsupported:
    case Errc::kCorrupt:
      return ExitCode::kFailed;
  }
  return ExitCode::kFailed;
}

}  // namespace hone::cli
