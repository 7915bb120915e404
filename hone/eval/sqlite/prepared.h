// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include "hone/base/sqlite/sqlite.h"
#include "hone/core/result.h"

namespace hone {

// The current row of a running query, which ends when this is destroyed.
class Row {
 public:
  Row(Statement& statement, bool is_there) : statement_(&statement), is_there_(is_there) {}
  Row(Row&& other) noexcept
      : statement_(std::exchange(other.statement_, nullptr)), is_there_(other.is_there_) {}
  Row& operator=(Row&&) = delete;
  ~Row() {
    if (statement_ != nullptr) statement_->Reset();
  }

  bool is_there() const { return is_there_; }
  const Statement* operator->() const { return statement_; }

  Result<void> Next() {
    const Result<bool> stepped = statement_->Step();
    if (!stepped) return stepped.error();
    is_there_ = *stepped;
    return {};
  }

 private:
  Statement* statement_;
  bool is_there_;
};

// The statements of one connection, each prepared at its first use and kept. `sql` must live as
// long as this: a literal. Not safe for concurrent use, and no statement is used within itself.
class PreparedStatements {
 public:
  explicit PreparedStatements(Database& database) : database_(database) {}

  // Runs it to its end. The number of rows changed.
  template <typename... Values>
  Result<std::int64_t> Run(std::string_view sql, const Values&... values) {
    const Result<Statement*> statement = Bound(sql, values...);
    if (!statement) return statement.error();
    if (auto ran = (*statement)->Run(); !ran) return ran.error();
    return database_.Changes();
  }

  // Runs it to its first row, if it has one.
  template <typename... Values>
  Result<Row> First(std::string_view sql, const Values&... values) {
    const Result<Statement*> statement = Bound(sql, values...);
    if (!statement) return statement.error();
    Row row(**statement, false);
    if (auto stepped = row.Next(); !stepped) return stepped.error();
    return row;
  }

 private:
  template <typename... Values>
  Result<Statement*> Bound(std::string_view sql, const Values&... values) {
    auto place = statements_.find(sql);
    if (place == statements_.end()) {
      Result<Statement> made = database_.Prepare(sql);
      if (!made) return made.error();
      place = statements_.emplace(sql, std::move(*made)).first;
    }
    int index = 0;
    (Bind(place->second, ++index, values), ...);
    return &place->second;
  }

  template <typename Value>
  static void Bind(Statement& statement, int index, const Value& value) {
    if constexpr (std::is_integral_v<Value>) {
      statement.Bind(index, static_cast<std::int64_t>(value));
    } else if constexpr (std::is_convertible_v<Value, std::string_view>) {
      statement.Bind(index, std::string_view(value));
    } else if (value) {
      Bind(statement, index, *value);
    } else {
      statement.BindNull(index);
    }
  }

  Database& database_;
  std::map<std::string_view, Statement> statements_;
};

}  // namespace hone
