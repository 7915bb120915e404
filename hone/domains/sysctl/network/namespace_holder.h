// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

// What a NetworkPair and its holder say to each other. The holder is a small program of its own
// that makes the two namespaces, holds them, and reads and writes their parameters: /proc/sys/net
// shows a process the namespace that it is in. It ends, and the namespaces with it, when the other
// end of its socket is closed, by whatever end of the process that held it.
//
// Without arguments it is the holder. As `enter PID NUMBER -- PROGRAM [ARGUMENT]...` it executes
// the program in a namespace of the holder with that pid.
namespace hone::sysctl {

// Descriptors of the holder. The socket is SOCK_SEQPACKET; the holder speaks first, with a
// NamespaceHolderReply that tells whether it could set up.
inline constexpr int kNamespaceHolderSocket = 3;
inline constexpr int kServerNamespace = 4;
inline constexpr int kClientNamespace = 5;

inline constexpr const char* kServerAddress = "192.0.2.1";  // Of RFC 5737: nobody's.
inline constexpr const char* kClientAddress = "192.0.2.2";
inline constexpr const char* kParametersFolder = "/proc/sys/net";

enum class NamespaceHolderVerb : std::uint32_t {
  kRead,   // The answer is the text of the file.
  kWrite,  // One write(2) of the text.
  kList,   // A line for each entry of the folder: 'd' or 'f', and its name.
  kProbe,  // Whether the file may be opened for writing.
};

struct NamespaceHolderRequest {
  NamespaceHolderVerb verb = NamespaceHolderVerb::kRead;
  std::int32_t side = kServerNamespace;
  std::uint32_t path_bytes = 0;  // The path follows, then the text.
};

enum class NamespaceHolderStage : std::uint32_t {
  kDone,
  kUserNamespace,  // What could not be made, in the first reply; the errno tells why.
  kUserMap,
  kNetwork,
  kVeth,
  kAddress,
  kOpen,  // What could not be done, in the others.
  kTransfer,
};

struct NamespaceHolderReply {
  NamespaceHolderStage stage = NamespaceHolderStage::kDone;
  std::int32_t number = 0;  // An errno; 0 if all went well.
};

inline constexpr std::size_t kMaxNamespaceHolderBytes = 128 << 10;  // Of a message.

}  // namespace hone::sysctl
