// SPDX-License-Identifier: Apache-2.0
#include "hone/base/net/host_lookup.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>

#include <cstdint>
#include <system_error>
#include <thread>
#include <utility>

#include "hone/base/descriptor.h"
#include "hone/base/net/wait_for.h"

namespace hone {
namespace {

struct LookUp {
  std::string host;
  std::string port;
  int fault = 0;
  HostAddresses found;
  Descriptor done{::eventfd(0, EFD_CLOEXEC)};  // Written once the two above are final.
};

void Run(LookUp& look_up, int flags) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = flags;
  addrinfo* found = nullptr;
  look_up.fault = ::getaddrinfo(look_up.host.c_str(), look_up.port.c_str(), &hints, &found);
  look_up.found.reset(look_up.fault == 0 ? found : nullptr);
}

Error LookUpFault(const std::string& host, int fault) {
  const bool is_unknown = fault == EAI_NONAME;
  return Error{is_unknown ? Errc::kNotFound : Errc::kUnavailable,
               fmt::format("the host {} {}: {}", host,
                           is_unknown ? "is not known; check its name" : "could not be looked up",
                           ::gai_strerror(fault))};
}

}  // namespace

Result<HostAddresses> LookUpHost(const std::string& host, int port,
                                 std::chrono::steady_clock::time_point end, int interrupt) {
  const auto look_up = std::make_shared<LookUp>();
  look_up->host = host;
  look_up->port = std::to_string(port);
  Run(*look_up, AI_NUMERICHOST);  // Asks nobody.
  if (look_up->fault == 0) return std::move(look_up->found);
  try {
    std::thread([look_up] {
      Run(*look_up, 0);
      ::eventfd_write(look_up->done.get(), 1);  // Cannot be full.
    }).detach();
  } catch (const std::system_error& error) {
    return Error{Errc::kUnavailable, fmt::format("the look-up of {}: {}", host, error.what())};
  }
  if (auto ready = AwaitReady(look_up->done.get(), POLLIN, end, interrupt); !ready) {
    return Error{ready.error().code,
                 fmt::format("the look-up of {}: {}", host, ready.error().message)};
  }
  eventfd_t unused = 0;  // To read it orders what the thread wrote before what follows.
  ::eventfd_read(look_up->done.get(), &unused);
  if (look_up->fault != 0) return LookUpFault(host, look_up->fault);
  return std::move(look_up->found);
}

}  // namespace hone
