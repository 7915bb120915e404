// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <coroutine>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace hone::server {

// A computation that can wait without holding a thread. It begins when it is awaited, or by
// Start. It goes on in whatever thread the thing that it waited for resumes it.
template <typename T>
class [[nodiscard]] Async {
 public:
  class Promise;
  using promise_type = Promise;
  using Handle = std::coroutine_handle<Promise>;

  Async(Async&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Async& operator=(Async&&) = delete;
  ~Async() {
    if (handle_) handle_.destroy();
  }

  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> awaiter) noexcept {
    handle_.promise().awaiter_ = awaiter;
    return handle_;
  }
  T await_resume() {
    Promise& promise = handle_.promise();
    if (promise.exception_) std::rethrow_exception(promise.exception_);
    return std::move(*promise.value_);
  }

 private:
  explicit Async(Handle handle) : handle_(handle) {}

  Handle handle_;
};

template <typename T>
class Async<T>::Promise {
 public:
  // Hands the thread over to whoever awaits this.
  struct Finish {
    bool await_ready() const noexcept { return false; }
    std::coroutine_handle<> await_suspend(Handle ended) const noexcept {
      return ended.promise().awaiter_;
    }
    void await_resume() const noexcept {}
  };

  Async get_return_object() { return Async(Handle::from_promise(*this)); }
  std::suspend_always initial_suspend() const noexcept { return {}; }
  Finish final_suspend() const noexcept { return {}; }
  void return_value(T value) { value_.emplace(std::move(value)); }
  void unhandled_exception() noexcept { exception_ = std::current_exception(); }

 private:
  friend class Async<T>;

  std::coroutine_handle<> awaiter_;
  std::optional<T> value_;
  std::exception_ptr exception_;
};

// Nobody awaits it; it destroys itself at its end.
struct Detached {
  struct Promise {
    Detached get_return_object() const noexcept { return {}; }
    std::suspend_never initial_suspend() const noexcept { return {}; }
    std::suspend_never final_suspend() const noexcept { return {}; }
    void return_void() const noexcept {}
    void unhandled_exception() const noexcept { std::terminate(); }
  };
  using promise_type = Promise;
};

// Begins `work` in this thread and calls `done(value, problem)` at its end: the value, or the
// exception that ended it.
template <typename T, typename Done>
Detached Start(Async<T> work, Done done) {
  std::optional<T> value;
  std::exception_ptr problem;
  try {
    value.emplace(co_await work);
  } catch (...) {
    problem = std::current_exception();
  }
  done(std::move(value), problem);
}

// Runs a function soon, in another thread.
using Post = std::function<void(std::function<void()>)>;

// A value that is delivered once, by any thread. One coroutine may await it; it is resumed through
// `post`. Shared by those who deliver and the one who waits.
template <typename T>
class Delivery {
 public:
  explicit Delivery(Post post) : post_(std::move(post)) {}

  // False: something was delivered before, and this is dropped.
  bool Deliver(T value) {
    std::coroutine_handle<> waiting;
    {
      const std::lock_guard lock(mutex_);
      if (value_) return false;
      value_.emplace(std::move(value));
      waiting = std::exchange(waiting_, nullptr);
    }
    if (waiting) post_([waiting] { waiting.resume(); });
    return true;
  }

  class Receipt {
   public:
    explicit Receipt(Delivery& from) : from_(from) {}
    bool await_ready() const noexcept { return false; }
    bool await_suspend(std::coroutine_handle<> waiter) { return from_.Expect(waiter); }
    T await_resume() { return from_.Take(); }

   private:
    Delivery& from_;
  };

  Receipt Receive() { return Receipt(*this); }  // To be awaited.

 private:
  bool Expect(std::coroutine_handle<> waiter) {
    const std::lock_guard lock(mutex_);
    if (value_) return false;
    waiting_ = waiter;
    return true;
  }
  T Take() {
    const std::lock_guard lock(mutex_);
    return *value_;
  }

  const Post post_;
  std::mutex mutex_;
  std::optional<T> value_;           // Protected by mutex_.
  std::coroutine_handle<> waiting_;  // Likewise.
};

}  // namespace hone::server
