// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "hone/core/result.h"

// Keys and values in the text of a configuration file.
namespace hone::sysctl {

enum class ConfigForm {
  kWords,   // "key value" on a line, as in redis.conf; the last line of a key counts.
  kEquals,  // "key = value" on a line, as in postgresql.conf; the last line of a key counts.
  kBlocks,  // "key value;" in blocks with braces, as in nginx.conf; a key stands once in a block.
};

std::string_view NameOf(ConfigForm form);  // "key value", "key = value", "key value;"
std::optional<ConfigForm> ConfigFormOf(std::string_view name);

struct ConfigSetting {
  std::string block;  // Of kBlocks: "events", "http/server"; empty: outside of all blocks.
  std::string key;
  std::string value;
};

// What the text says; nothing if it does not. `value` of what is asked is not looked at.
// kInvalidArgument: the text cannot be read, or the key is there twice where it may not.
Result<std::optional<std::string>> ConfigValue(ConfigForm form, std::string_view text,
                                               const ConfigSetting& asked);

// The text with these values instead of its own; all else stays as it is, byte for byte.
// kInvalidArgument: as above, or there is no such block, or a value would not stay a value.
Result<std::string> WithConfig(ConfigForm form, std::string text,
                               const std::vector<ConfigSetting>& settings);

}  // namespace hone::sysctl
