// SPDX-License-Identifier: Apache-2.0
#include "hone/base/http/http_reply_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>
#include <cstdint>
#include <optional>

#include "hone/core/letter_case.h"

namespace hone {
namespace {

namespace http = boost::beast::http;
using boost::beast::string_view;
using boost::system::error_code;

constexpr int kMaxSkipped = 16;

std::string_view ViewOf(string_view text) { return {text.data(), text.size()}; }

bool IsSameWord(std::string_view one, std::string_view other) {
  return LowerCase(one) == LowerCase(other);
}

}  // namespace

std::string_view HttpReply::Header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(), [name](const auto& header) {
    return IsSameWord(header.first, name);
  });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

// One message, as Beast reads it.
class HttpReplyParser::Reading final : public http::basic_parser<false> {
 public:
  explicit Reading(const HttpBodyListener& listener) : listener_(listener) { eager(true); }

  HttpReply reply;
  bool has_enough = false;
  std::optional<Error> fault;  // The listener's.

 private:
  void on_request_impl(http::verb, string_view, string_view, int, error_code&) override {}
  void on_response_impl(int code, string_view, int, error_code&) override { reply.status = code; }
  void on_field_impl(http::field, string_view name, string_view value, error_code&) override {
    reply.headers.emplace_back(ViewOf(name), ViewOf(value));
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(boost::optional<std::uint64_t> const&, error_code&) override {}
  std::size_t on_body_impl(string_view piece, error_code& error) override {
    return Take(piece, error);
  }
  void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, string_view piece, error_code& error) override {
    return Take(piece, error);
  }
  void on_finish_impl(error_code&) override {}

  std::size_t Take(string_view piece, error_code& error) {
    if (!listener_) {
      reply.body.append(piece.data(), piece.size());
      return piece.size();
    }
    const auto goes_on = listener_(reply, ViewOf(piece));
    if (!goes_on) fault = goes_on.error();
    has_enough = goes_on && !*goes_on;
    if (!goes_on || has_enough) error = http::error::end_of_stream;
    return piece.size();
  }

  const HttpBodyListener& listener_;
};

HttpReplyParser::HttpReplyParser(HttpReplyLimits limits, HttpBodyListener listener, bool has_body)
    : limits_(limits), listener_(std::move(listener)), has_body_(has_body) {
  Restart();
}

HttpReplyParser::~HttpReplyParser() = default;

void HttpReplyParser::Restart() {
  reading_ = std::make_unique<Reading>(listener_);
  reading_->header_limit(static_cast<std::uint32_t>(limits_.head_bytes));
  reading_->body_limit(limits_.body_bytes);
  reading_->skip(!has_body_);
}

Result<bool> HttpReplyParser::Feed(std::string_view bytes) {
  pending_.append(bytes);
  while (!pending_.empty()) {
    const std::size_t before = pending_.size();
    auto is_whole = Step();
    if (!is_whole || *is_whole) return is_whole;
    if (pending_.size() == before) break;
  }
  // Beast bounds heads and bodies, but not the line before a chunk.
  if (pending_.size() > 2 * limits_.head_bytes) {
    return Error{Errc::kUnavailable, "the reply is not HTTP: a line without an end"};
  }
  return false;
}

// Whether the reply is whole, after as much of what is pending as can be read now.
Result<bool> HttpReplyParser::Step() {
  error_code error;
  const std::size_t count = reading_->put(boost::asio::buffer(pending_), error);
  if (reading_->fault) return *reading_->fault;
  if (reading_->has_enough) return true;
  pending_.erase(0, count);
  if (error == http::error::need_more) return false;
  if (error == http::error::body_limit) {
    return Error{Errc::kUnsupported,
                 fmt::format("the reply has more than {} bytes", limits_.body_bytes)};
  }
  if (error) {
    return Error{Errc::kUnavailable, fmt::format("the reply cannot be read: {}", error.message())};
  }
  if (!reading_->is_done()) return false;
  if (reading_->reply.status / 100 != 1 || reading_->reply.status == 101) return true;
  if (++skipped_ > kMaxSkipped) {
    return Error{Errc::kUnavailable, "the reply cannot be read: it never comes to the point"};
  }
  Restart();
  return false;
}

Result<void> HttpReplyParser::End() {
  if (reading_->is_done() || reading_->has_enough) return {};
  error_code error;
  if (reading_->is_header_done()) reading_->put_eof(error);
  if (!error && reading_->is_done()) return {};
  return Error{Errc::kUnavailable, "the other side closed the connection in the middle of a reply"};
}

const HttpReply& HttpReplyParser::head() const { return reading_->reply; }
HttpReply HttpReplyParser::Take() { return std::move(reading_->reply); }
std::string_view HttpReplyParser::rest() const { return pending_; }

}  // namespace hone
