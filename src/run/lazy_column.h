#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "base/check.h"
#include "run/column.h"

namespace tactus {

/// Identifies one column of a Run: its table, the part of the table (the argument shape, for
/// argument tables), and the column.
struct ColumnKey {
  std::uint8_t table = 0;
  std::uint32_t part = 0;
  std::uint32_t column = 0;

  auto operator<=>(const ColumnKey&) const = default;
};

/// The source of columns that were not read yet: an open `.tact` file.
class ColumnStore {
 public:
  virtual ~ColumnStore() = default;

  /// Fills an empty column. On an error it leaves zeros and remembers the error (see Run::status),
  /// so all columns of a table always have the same length.
  virtual void load(const ColumnKey& key, Column& into) const = 0;
  /// Adds the rows that came after the column was loaded.
  virtual void load_more(const ColumnKey& key, Column& into) const = 0;

  /// Columns with different mutexes load at the same time.
  virtual std::mutex& mutex(const ColumnKey& key) const = 0;
};

/// A column that is read from its store at its first use.
class LazyColumn {
 public:
  LazyColumn() = default;
  LazyColumn(LazyColumn&& other) noexcept
      : column_(std::move(other.column_)),
        store_(other.store_.load()),
        is_backed_(other.is_backed_),
        key_(other.key_) {}
  LazyColumn& operator=(LazyColumn&& other) noexcept {
    column_ = std::move(other.column_);
    store_ = other.store_.load();
    is_backed_ = other.is_backed_;
    key_ = other.key_;
    return *this;
  }

  const Column& get() const {
    if (store_.load(std::memory_order_acquire) != nullptr) load();
    return column_;
  }

  /// For code that fills the column; a column with a store is read-only.
  Column& writable() {
    CHECK(!is_backed_);
    return column_;
  }

  /// The same without the check, for code that appends millions of rows.
  Column& appendable() { return column_; }

  /// The column is read from a store. If it was read already, rows that came since are added; no
  /// other thread may use the column then.
  void back_with(const ColumnStore* store, const ColumnKey& key) {
    const bool is_loaded = is_backed_ && store_.load(std::memory_order_relaxed) == nullptr;
    is_backed_ = true;
    key_ = key;
    if (is_loaded) {
      store->load_more(key, column_);
    } else {
      store_ = store;
    }
  }

  /// Bytes held now: nothing for a column that was not read yet.
  std::size_t memory_bytes() const { return column_.memory_bytes(); }

 private:
  void load() const {
    const ColumnStore* store = store_.load(std::memory_order_acquire);
    if (store == nullptr) return;
    const std::lock_guard lock(store->mutex(key_));
    if (store_.load(std::memory_order_relaxed) == nullptr) return;
    store->load(key_, column_);
    store_.store(nullptr, std::memory_order_release);
  }

  mutable Column column_;
  mutable std::atomic<const ColumnStore*> store_{nullptr};  ///< null when it was read
  bool is_backed_ = false;
  ColumnKey key_;
};

}  // namespace tactus
