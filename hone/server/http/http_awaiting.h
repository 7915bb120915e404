// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/error_code.hpp>
#include <coroutine>
#include <cstddef>
#include <exception>
#include <functional>
#include <optional>
#include <utility>

#include "hone/server/http/async.h"
#include "hone/server/http/http_server.h"

namespace hone::server {

struct IoDone {
  boost::system::error_code error;
  std::size_t bytes = 0;
};

// Awaits an operation of Asio. `begin` starts it with the function that it calls at its end.
template <typename Begin>
class IoOperation {
 public:
  explicit IoOperation(Begin begin) : begin_(std::move(begin)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    begin_([this, waiter](boost::system::error_code error, std::size_t bytes = 0) {
      done_ = {error, bytes};
      waiter.resume();
    });
  }
  IoDone await_resume() const { return done_; }

 private:
  Begin begin_;
  IoDone done_;
};

// Awaits work in the pool; the coroutine goes on in the thread of the connections.
template <typename T>
class InPool {
 public:
  InPool(const Post& post, boost::asio::io_context& io, std::function<Async<T>()> make)
      : post_(post), io_(io), work_(boost::asio::make_work_guard(io)), make_(std::move(make)) {}

  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> waiter) {
    post_([this, waiter] {
      Start(make_(), [this, waiter](std::optional<T> value, const std::exception_ptr& problem) {
        value_ = std::move(value);
        problem_ = problem;
        boost::asio::post(io_, [waiter] { waiter.resume(); });
      });
    });
  }
  T await_resume() {
    if (problem_) std::rethrow_exception(problem_);
    return std::move(*value_);
  }

 private:
  const Post& post_;
  boost::asio::io_context& io_;
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type>
      work_;  // Keeps its thread running.
  std::function<Async<T>()> make_;
  std::optional<T> value_;
  std::exception_ptr problem_;
};

}  // namespace hone::server
