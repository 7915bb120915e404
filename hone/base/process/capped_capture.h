// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <string>
#include <string_view>

#include "hone/base/descriptor.h"

namespace hone {

// Keeps the head of what a program writes and reads the rest away.
struct CappedCapture {
  Descriptor& from;  // Non-blocking.
  std::string& text;
  bool& is_cut;
  std::size_t max;

  // Reads what is there, but no more than a pipe can hold, so that a program that never stops
  // writing does not keep us from its end or its other streams. Closes the descriptor at the end.
  // `on_chunk` is called with each piece, kept or not.
  template <typename OnChunk>
  void Drain(OnChunk on_chunk) const {
    std::array<char, 1 << 16> chunk;
    for (int round = 0; round < 16 && from.is_open(); ++round) {
      const ssize_t got = ::read(from.get(), chunk.data(), chunk.size());
      if (got < 0 && errno == EINTR) continue;
      if (got < 0 && errno == EAGAIN) return;
      if (got <= 0) return from.Close();
      const std::size_t size = static_cast<std::size_t>(got);
      const std::size_t kept = std::min(size, max - text.size());
      text.append(chunk.data(), kept);
      is_cut = is_cut || kept < size;
      on_chunk(std::string_view(chunk.data(), size));
    }
  }
  void Drain() const {
    Drain([](std::string_view) {});
  }
};

}  // namespace hone
