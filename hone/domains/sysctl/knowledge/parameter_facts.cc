// SPDX-License-Identifier: Apache-2.0
#include "hone/domains/sysctl/knowledge/parameter_facts.h"

namespace hone::sysctl {

std::string_view NameOf(Risk risk) {
  switch (risk) {
    case Risk::kSafe:
      return "safe";
    case Risk::kCapacity:
      return "capacity";
    case Risk::kSticky:
      return "sticky";
    case Risk::kDisruptive:
      return "disruptive";
    case Risk::kLinkReset:
      return "link_reset";
    case Risk::kReservation:
      return "reservation";
    case Risk::kDenied:
      return "denied";
  }
  return "unknown";
}

std::string_view MeaningOf(Risk risk) {
  switch (risk) {
    case Risk::kSafe:
      return "It takes effect at once and can be taken back.";
    case Risk::kCapacity:
      return "It is a limit: it is only ever raised, never set below what is in force.";
    case Risk::kSticky:
      return "It works only for new sockets, mappings or processes: the service is restarted "
             "between runs.";
    case Risk::kDisruptive:
      return "A change drains a queue or stops work for a moment.";
    case Risk::kLinkReset:
      return "A change may take the network link down for a moment, so that connections over it "
             "stall or break: it needs --allow-disruptive.";
    case Risk::kReservation:
      return "It takes memory away from everything else at once.";
    case Risk::kDenied:
      return "It is never tuned, not even with --allow-unknown.";
  }
  return "";
}

std::string_view NameOf(Scope scope) {
  switch (scope) {
    case Scope::kHost:
      return "host";
    case Scope::kNetwork:
      return "network";
    case Scope::kNetworkReadOnly:
      return "network_read_only";
    case Scope::kDevice:
      return "device";
    case Scope::kGroup:
      return "group";
  }
  return "unknown";
}

}  // namespace hone::sysctl
