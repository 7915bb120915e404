// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/space.h"
#include "hone/core/value.h"

namespace hone::sysctl {

enum class Risk {
  kSafe,         // Reversible, immediate.
  kCapacity,     // A limit: only ever raised.
  kSticky,       // Works only for new sockets, mappings or processes: restart between runs.
  kDisruptive,   // Drains a queue, stops work for a moment.
  kLinkReset,    // Takes a network link down for a moment: only where that was allowed.
  kReservation,  // Takes memory away at once.
  kDenied,       // Never tuned: security, crash semantics, data loss, or an action.
};

// Where a parameter belongs.
enum class Scope {
  kHost,             // One for the machine.
  kNetwork,          // Every network namespace has its own.
  kNetworkReadOnly,  // Seen in a network namespace, written only on the host.
  kDevice,           // One a device.
  kGroup,            // One a control group.
};

// One entry of data/parameters/*.json: what is known of a parameter, on any machine.
struct ParameterFacts {
  std::string name;  // "vm.swappiness", or a path: "/sys/block/*/queue/read_ahead_kb".
  std::vector<std::string> aliases;       // Names in other kernel versions, as above.
  std::string since;                      // First kernel version that has it: "4.9"; empty: always.
  std::string until;                      // Last one, empty: still there.
  Kind search;                            // The recommended range. A denied one's has no choices.
  std::optional<std::int64_t> hard_low;   // The kernel's own bounds where known, or narrower ones
  std::optional<std::int64_t> hard_high;  // of ours where what the kernel takes can harm.
  std::vector<double> high_ram_shares;    // The high end of `search`, one a part for a tuple, as a
                                          // share of the machine's memory; 0 or none: as given.
  std::optional<double> hard_ram_share;   // The same for hard_high.
  std::vector<SpecialValue> specials;     // {0, "off"}; {"max", "no limit"}
  std::string kernel_default;             // As text; empty where it depends on the machine.
  std::string unit;
  Risk risk = Risk::kSafe;
  Scope scope = Scope::kHost;
  bool is_flags = false;     // The integer is a set of bits; `search` lists sensible sets.
  bool is_action = false;    // Writing it does something once. Always denied.
  bool is_cpus = false;      // A mask of CPUs; the words of `search` stand for sets of the machine.
  std::string choices_from;  // A parameter that lists what may be chosen here:
                             // net.ipv4.tcp_available_congestion_control.
  std::string namespace_choices_from;    // The same, in a private network namespace.
  std::string high_from;                 // A parameter that says how high this one may go here.
  std::string twin;                      // Exclusive: setting one switches the other off.
  std::vector<std::string> below;        // Must stay smaller than these.
  std::optional<Condition> condition;    // Exists or works only while the parent has these values.
  std::vector<std::string> needs;        // What it does nothing without: knowledge/needs.h.
  std::vector<std::string> changes;      // What else a write may change.
  std::vector<std::string> matters_for;  // Workload words: "memory", "network", "database", …
  std::string summary;                   // One honest sentence.
  std::string caution;                   // What can go wrong; empty if nothing is known.
};

// How a kind of CPUs is told before it is known which there are.
inline constexpr char kNoCpus[] = "none";
inline constexpr char kAllCpus[] = "all";

std::string_view NameOf(Risk risk);     // "safe", "capacity", …
std::string_view MeaningOf(Risk risk);  // A sentence for people.
std::string_view NameOf(Scope scope);   // "host", "network", …

}  // namespace hone::sysctl
