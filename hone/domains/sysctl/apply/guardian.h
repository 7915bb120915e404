// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

// What a transaction and its guardian say to each other. The guardian is a program of its own,
// embedded in the library: small, static, in a session of its own, deaf to signals. It waits for
// the death of the process that holds, puts back what the journal says, and ends.
//
// Arguments: the folder. Descriptors: 0 to 2 are /dev/null, the others as below. It closes the
// rest. It sends one kReady; after that the holder may write its first parameter.
namespace hone::sysctl {

inline constexpr int kGuardianSocket = 3;  // SOCK_SEQPACKET; one GuardianMessage each time.
inline constexpr int kGuardianLock = 4;    // The lock of the folder, shared.
inline constexpr int kGuardianHolder = 5;  // A pidfd of the holder.

struct GuardianMessage {
  enum class Kind : std::int32_t {
    kReady,  // From the guardian.
    kDone,   // To it: nothing is left to put back; end.
    kKeep,   // To it: forget the holder; put back at the moment `until_ms` of the boot clock,
             // unless a request in the folder comes before. It answers kReady.
  };
  Kind kind = Kind::kReady;
  std::int64_t until_ms = 0;
};

}  // namespace hone::sysctl
