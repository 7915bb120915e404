// SPDX-License-Identifier: Apache-2.0
#pragma once

// The holder's own networking: without exceptions, and with errno as the only error.
namespace hone::sysctl {

inline constexpr const char* kVethName = "hone0";

// A veth pair from the namespace that this process is in to the one behind the descriptor; both
// ends are named kVethName. 0, or an errno.
int MakeVeth(int peer_namespace);

// Gives the interface its address and network (/24) and takes it up. 0, or an errno.
int TakeUp(const char* interface, const char* address);

// Takes the loopback interface up. 0, or an errno.
int TakeUpLoopback();

}  // namespace hone::sysctl
