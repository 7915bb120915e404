// SPDX-License-Identifier: Apache-2.0
#include "hone/base/json/json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <optional>
#include <type_traits>

#include "hone/base/json/ordered_json.h"
#include "hone/core/check.h"

namespace hone {
namespace {

constexpr std::size_t kMaxShown = 40;  // Characters of the document in a message.
constexpr std::size_t kMaxOrderedMembers = 5000;

// Walks over the text and tells how far the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t& read) : at_(at), read_(&read) {}

  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*read_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator old = *this;
    ++*this;
    return old;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }

 private:
  const char* at_;
  std::size_t* read_;
};

std::string Shortened(std::string_view text) {
  if (text.size() <= kMaxShown) return std::string(text);
  std::size_t end = kMaxShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string JsonQuoted(std::string_view text) {
  return Json(Shortened(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// Builds the document from the parser's events, and stops it at what we do not accept. The parser
// keeps its own stack on the heap, so that only `depth` bounds the nesting.
template <typename Document>
class JsonBuilder {
 public:
  explicit JsonBuilder(std::size_t depth) : max_depth_(depth) {}

  bool null() { return Add(nullptr); }
  bool boolean(bool value) { return Add(value); }
  bool number_integer(std::int64_t value) { return Add(value); }
  bool number_unsigned(std::uint64_t value) { return Add(value); }
  bool number_float(double value, const std::string&) { return Add(value); }
  bool string(std::string& value) { return Add(std::move(value)); }
  bool binary(typename Document::binary_t&) { return Refuse("binary data"); }
  bool start_object(std::size_t) { return Open(Document::object()); }
  bool start_array(std::size_t) { return Open(Document::array()); }
  bool end_object() { return Close(); }
  bool end_array() { return Close(); }

  bool key(std::string& name) {
    auto& object = open_.back()->template get_ref<typename Document::object_t&>();
    if (std::is_same_v<Document, OrderedJson> && object.size() == kMaxOrderedMembers) {
      return Refuse(fmt::format("over {} members in one object", kMaxOrderedMembers));
    }
    const auto [place, is_new] = object.emplace(name, nullptr);
    if (!is_new) return Refuse(fmt::format("the key {} again", JsonQuoted(name)));
    slot_ = &place->second;
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const typename Document::exception& fault) {
    return Refuse(TextOf(fault.what()));
  }

  const std::string& fault() const { return fault_; }
  Document Take() { return std::move(root_); }

 private:
  // From "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while
  // parsing value - invalid literal; last read: 'x'" what follows the place and the production.
  static std::string TextOf(std::string_view what) {
    if (const auto end = what.find(" - "); end != what.npos) what.remove_prefix(end + 3);
    if (const auto end = what.find("] "); end != what.npos) what.remove_prefix(end + 2);
    return std::string(what);
  }

  bool Refuse(std::string message) {
    fault_ = std::move(message);
    return false;
  }

  Document* Place(Document value) {
    if (open_.empty()) return &(root_ = std::move(value));
    if (open_.back()->is_array()) return &open_.back()->emplace_back(std::move(value));
    return &(*slot_ = std::move(value));
  }

  bool Add(Document value) {
    Place(std::move(value));
    return true;
  }

  bool Open(Document value) {
    if (open_.size() == max_depth_) return Refuse(fmt::format("nested over {}", max_depth_));
    open_.push_back(Place(std::move(value)));
    return true;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  std::size_t max_depth_;
  Document root_;
  std::vector<Document*> open_;  // A parent does not move while a child is open.
  Document* slot_ = nullptr;     // Of the last key.
  std::string fault_;
};

std::string PlaceOf(std::string_view text, std::size_t read) {
  const std::string_view before = text.substr(0, std::min(read, text.size()));
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const auto last = before.rfind('\n');
  const std::size_t column = last == before.npos ? before.size() : before.size() - last - 1;
  return fmt::format("line {}, column {}", lines + 1, std::max<std::size_t>(column, 1));
}

template <typename Document>
Result<Document> ParseDocument(std::string_view text, std::string_view what, JsonLimits limits) {
  if (text.size() > limits.bytes) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: {} bytes, over the {} allowed", what, text.size(), limits.bytes)};
  }
  std::size_t read = 0;
  std::size_t unused = 0;
  JsonBuilder<Document> builder(limits.depth);
  const bool is_whole =
      Document::sax_parse(CountingIterator(text.data(), read),
                          CountingIterator(text.data() + text.size(), unused), &builder);
  if (!is_whole) {
    return Error{Errc::kInvalidArgument,
                 fmt::format("{}: {}: {}", what, PlaceOf(text, read), builder.fault())};
  }
  return builder.Take();
}

bool IsFinite(const Json& json) {
  if (const auto* number = json.get_ptr<const Json::number_float_t*>())
    return std::isfinite(*number);
  if (const auto* list = json.get_ptr<const Json::array_t*>()) {
    return std::all_of(list->begin(), list->end(), IsFinite);
  }
  const auto* object = json.get_ptr<const Json::object_t*>();
  return object == nullptr || std::all_of(object->begin(), object->end(), [](const auto& member) {
           return IsFinite(member.second);
         });
}

// What stands there, for a message.
std::string Described(const Json& json) {
  if (json.is_object()) return "an object";
  if (json.is_array()) return "an array";
  if (json.is_string()) return JsonQuoted(json.get_ref<const std::string&>());
  return json.dump();
}

// One step of a JSON pointer (RFC 6901).
std::string Step(std::string_view key) {
  std::string step = "/";
  for (const char c : key) {
    if (c == '~') {
      step += "~0";
    } else if (c == '/') {
      step += "~1";
    } else {
      step += c;
    }
  }
  return step;
}

// What is read after a fault.
const Json& Nothing() {
  static const Json nothing;
  return nothing;
}

}  // namespace

Result<Json> ParseJson(std::string_view text, std::string_view what, JsonLimits limits) {
  return ParseDocument<Json>(text, what, limits);
}

Result<OrderedJson> ParseOrderedJson(std::string_view text, std::string_view what,
                                     JsonLimits limits) {
  return ParseDocument<OrderedJson>(text, what, limits);
}

std::string Dump(const Json& json) {
  HONE_CHECK(IsFinite(json));
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

struct JsonReader::Faults {
  std::string what;
  std::optional<std::string> first;
};

JsonReader::JsonReader(const Json& json, std::string what)
    : JsonReader(&json, "", std::make_shared<Faults>(Faults{std::move(what), std::nullopt})) {}

// Only an object can be asked for members.
JsonReader::JsonReader(const Json* json, std::string path, std::shared_ptr<Faults> faults)
    : json_(json), path_(std::move(path)), faults_(std::move(faults)) {
  if (json_->is_object()) asked_ = std::make_shared<std::vector<std::string>>();
}

bool JsonReader::Expect(bool is_met, std::string_view expected) {
  if (!is_met) Fail(fmt::format("expected {}, found {}", expected, Described(*json_)));
  return is_met;
}

JsonReader JsonReader::At(std::string_view key) {
  if (asked_) asked_->emplace_back(key);
  const Json* member = &Nothing();
  if (Expect(json_->is_object(), "an object")) {
    if (const auto found = json_->find(key); found != json_->end()) {
      member = &*found;
    } else {
      Fail(fmt::format("the member {} is missing", JsonQuoted(key)));
    }
  }
  return JsonReader(member, path_ + Step(key), faults_);
}

bool JsonReader::Has(std::string_view key) const {
  if (asked_) asked_->emplace_back(key);
  return json_->is_object() && json_->contains(key);
}

std::vector<JsonReader> JsonReader::Items() {
  std::vector<JsonReader> items;
  if (!Expect(json_->is_array(), "an array")) return items;
  items.reserve(json_->size());
  for (std::size_t i = 0; i < json_->size(); ++i) {
    items.push_back(JsonReader(&(*json_)[i], path_ + Step(std::to_string(i)), faults_));
  }
  return items;
}

std::vector<std::pair<std::string, JsonReader>> JsonReader::Members() {
  std::vector<std::pair<std::string, JsonReader>> members;
  if (!Expect(json_->is_object(), "an object")) return members;
  members.reserve(json_->size());
  for (const auto& [key, value] : json_->items()) {
    asked_->push_back(key);
    members.emplace_back(key, JsonReader(&value, path_ + Step(key), faults_));
  }
  return members;
}

std::string JsonReader::String() {
  return Expect(json_->is_string(), "a string") ? json_->get<std::string>() : "";
}

std::int64_t JsonReader::Integer() {
  const bool is_met = json_->is_number_unsigned()
                          ? json_->get<std::uint64_t>() <= std::numeric_limits<std::int64_t>::max()
                          : json_->is_number_integer();
  return Expect(is_met, "an integer of 64 bits") ? json_->get<std::int64_t>() : 0;
}

std::uint64_t JsonReader::Unsigned() {
  const bool is_met = json_->is_number_unsigned() ||
                      (json_->is_number_integer() && json_->get<std::int64_t>() >= 0);
  return Expect(is_met, "an integer from 0 of 64 bits") ? json_->get<std::uint64_t>() : 0;
}

double JsonReader::Number() {
  return Expect(json_->is_number(), "a number") ? json_->get<double>() : 0;
}

bool JsonReader::Bool() {
  return Expect(json_->is_boolean(), "true or false") && json_->get<bool>();
}

const Json& JsonReader::Raw() const { return *json_; }

void JsonReader::RefuseOthers() {
  if (!json_->is_object()) return;
  for (const auto& [key, value] : json_->items()) {
    if (std::find(asked_->begin(), asked_->end(), key) == asked_->end()) {
      return Fail(fmt::format("the member {} is not known here", JsonQuoted(key)));
    }
  }
}

void JsonReader::Fail(std::string_view message) {
  if (faults_->first) return;
  faults_->first =
      fmt::format("{}{}{}: {}", faults_->what, path_.empty() ? "" : ": ", path_, message);
}

Result<void> JsonReader::Finish() const {
  if (faults_->first) return Error{Errc::kInvalidArgument, *faults_->first};
  return {};
}

}  // namespace hone
