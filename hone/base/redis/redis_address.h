// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "hone/core/result.h"

namespace hone {

// Where a Redis is, and how to get in.
struct RedisAddress {
  std::string host = "127.0.0.1";
  int port = 6379;
  std::filesystem::path socket;  // A Unix socket instead of host and port.
  int database = 0;
  std::string user;  // Empty: the default user.
  std::string password;

  bool is_tls = false;
  std::filesystem::path ca_file;  // Who may vouch for the server; empty: the system's list.
  std::filesystem::path certificate_file;  // Ours, if the server asks for one (tls-auth-clients).
  std::filesystem::path key_file;
  bool verifies_server = true;  // False: anyone in between may read and change everything.

  // "redis://127.0.0.1:6379/0", for messages and logs: never with the password.
  std::string Name() const;
};

// redis://[[user][:password]@]host[:port][/database], rediss:// for TLS, unix:///path/to/socket.
// User and password may hold %XX.
Result<RedisAddress> ParseRedisUrl(std::string_view url);

// A password on a command line can be read by every user of the machine. So, if the address has
// none yet, it is the first line of `password_file` if that is given, or else what the environment
// variable HONE_REDIS_PASSWORD holds.
Result<RedisAddress> WithRedisPassword(RedisAddress address,
                                       const std::filesystem::path& password_file);

}  // namespace hone
