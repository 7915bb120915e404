// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "hone/core/result.h"

namespace hone::cli {

// What the process returns; scripts depend on it.
enum class ExitCode {
  kYes = 0,         // Done.
  kNo = 1,          // Done, and the answer is no: no gain, a replay that diverges.
  kUsage = 2,       // The command must be corrected.
  kFailed = 3,      // The service failed; the same command may work later or elsewhere.
  kNotEnough = 4,   // A campaign was cut short before it could say that there is no gain.
  kSuspicious = 5,  // A gain whose numbers may not be measured.
  kDoesNotRun = 6,  // The benchmark fails with nothing changed.
};

// The table for --help and the manual.
inline constexpr const char* kExitCodesText =
    "0 done, a proven gain; 1 done, and the answer is no; 2 the command must be\n"
    "corrected; 3 the service failed. Of a campaign also: 4 not enough was tried to say;\n"
    "5 a gain that is suspicious; 6 the benchmark does not run with nothing changed.\n";

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
