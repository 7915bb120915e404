// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "hone/base/descriptor.h"

// For tests that need a bad network.
namespace hone {

// Listens on a TCP port of 127.0.0.1 and passes what comes on to a Unix socket, and back, in pieces
// whose fate the test decides.
class TestProxy {
 public:
  enum class Fate {
    kPass,
    kCut,        // It is lost, and the connection with it.
    kTruncate,   // Half of it arrives, and the connection is lost.
    kHalfClose,  // It is lost, and its receiver sees the end of the stream; the other way stays
                 // open.
    kDelay,      // It arrives 20 ms later.
  };
  using Policy = std::function<Fate(bool is_reply)>;  // Called by one thread at a time.

  TestProxy(std::filesystem::path socket, Policy policy);
  ~TestProxy();

  int port() const { return port_; }
  int connections() const { return connections_; }  // That were ever made.

 private:
  void Accept(const std::stop_token& stop);
  void Serve(const std::stop_token& stop, Descriptor client);
  bool Move(int from, int to, bool is_reply);

  std::filesystem::path socket_;
  Policy policy_;
  Descriptor listener_;
  int port_ = 0;
  std::atomic<int> connections_ = 0;
  std::mutex mutex_;
  std::vector<std::jthread> clients_;
  std::jthread accepting_;
};

}  // namespace hone
