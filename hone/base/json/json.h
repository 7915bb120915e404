// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "hone/core/result.h"

namespace hone {

using Json = nlohmann::json;

struct JsonLimits {
  std::size_t bytes = 16 << 20;
  std::size_t depth = 64;
};

// Parses a document that may come from anyone. Duplicate keys, trailing text, and what goes over
// the limits are errors that give line and column. `what` names the document in messages.
Result<Json> ParseJson(std::string_view text, std::string_view what, JsonLimits limits = {});

// Keys in order, no spaces; numbers that read back to the same bits. Bytes that are not UTF-8
// become U+FFFD. A NaN or an infinity is a broken promise of the caller: JSON has no word for them.
std::string Dump(const Json& json);

// Reads a document strictly. The first fault is kept and names the path inside the document:
// "campaign.json: /budget/pairs: expected an integer, found \"ten\"". After a fault every read
// gives a default value, so that a reader can be written straight down and checked once. The
// document must outlive its readers.
class JsonReader {
 public:
  JsonReader(const Json& json, std::string what);

  JsonReader At(std::string_view key);  // A required member, itself to be read.
  bool Has(std::string_view key) const;
  std::vector<JsonReader> Items();                            // Of an array.
  std::vector<std::pair<std::string, JsonReader>> Members();  // Of an object.

  std::string String();
  std::int64_t Integer();
  std::uint64_t Unsigned();
  double Number();
  bool Bool();
  const Json& Raw() const;

  // Members that a reader did not ask for are errors too, once this is called.
  void RefuseOthers();

  void Fail(std::string_view message);  // Records a fault at this path.
  Result<void> Finish() const;          // The first fault of the whole document, if any.

 private:
  struct Faults;
  JsonReader(const Json* json, std::string path, std::shared_ptr<Faults> faults);
  bool Expect(bool is_met, std::string_view expected);

  const Json* json_;
  std::string path_;
  std::shared_ptr<Faults> faults_;
  std::shared_ptr<std::vector<std::string>> asked_;
};

}  // namespace hone
