// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netdb.h>

#include <chrono>
#include <memory>
#include <string>

#include "hone/core/result.h"

namespace hone {

struct FreeHostAddresses {
  void operator()(addrinfo* addresses) const { ::freeaddrinfo(addresses); }
};
using HostAddresses = std::unique_ptr<addrinfo, FreeHostAddresses>;

// The addresses of a host for TCP. The system's look-up knows no limit, so it runs in a thread of
// its own, which is left to itself when it is not through by `end`, or once the descriptor
// `interrupt` (if any) can be read. kNotFound: no such host; kUnavailable: it cannot be told now.
Result<HostAddresses> LookUpHost(const std::string& host, int port,
                                 std::chrono::steady_clock::time_point end, int interrupt);

}  // namespace hone
