// Memory that a worker shares with the judge: here both are this process.
#include "bench/rooms/shared_memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

#include "bench/device/cache_lines.h"

namespace tactus {
namespace {

constexpr std::size_t kBytes = 100000;

class SharedMemoryOfWorker : public ::testing::Test {
 protected:
  void SetUp() override {
    block_ = make_shared_block(kBytes);
    ASSERT_NE(block_.memory, nullptr);
    address_ = reinterpret_cast<std::uint64_t>(block_.memory);
    shared_ = SharedMemory::of(getpid(), block_.file, address_, kBytes);
    ASSERT_NE(shared_, nullptr);
  }
  void TearDown() override {
    munmap(block_.memory, block_.bytes);
    close(block_.file);
  }

  std::string read(std::size_t offset, std::size_t bytes) const {
    std::string text(bytes, '?');
    EXPECT_TRUE(shared_->memory().read(text.data(), address_ + offset, bytes));
    return text;
  }

  SharedBlock block_;
  std::uint64_t address_ = 0;
  std::unique_ptr<SharedMemory> shared_;
};

TEST_F(SharedMemoryOfWorker, is_written_and_read_by_its_address_there) {
  ASSERT_TRUE(shared_->memory().write(address_ + 5000, "inputs", 6));
  EXPECT_EQ(std::memcmp(block_.memory + 5000, "inputs", 6), 0);
  std::memcpy(block_.memory + 9000, "results", 7);
  EXPECT_EQ(read(9000, 7), "results");
}

TEST_F(SharedMemoryOfWorker, is_the_same_after_it_was_taken_out_of_the_caches) {
  if (!can_evict_lines()) GTEST_SKIP() << "this processor has no instruction for it";
  std::memcpy(block_.memory + 9000, "results", 7);
  shared_->evict(address_ + 4097, kBytes - 4097);
  EXPECT_EQ(read(9000, 7), "results");
}

TEST_F(SharedMemoryOfWorker, stays_ours_if_the_worker_puts_something_else_there) {
  mmap(block_.memory, block_.bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED,
       -1, 0);
  ASSERT_TRUE(shared_->memory().write(address_, "inputs", 6));
  EXPECT_EQ(read(0, 6), "inputs");
  EXPECT_NE(std::memcmp(block_.memory, "inputs", 6), 0);
}

TEST_F(SharedMemoryOfWorker, can_be_used_when_the_worker_has_given_its_pages_back) {
  ASSERT_EQ(madvise(block_.memory, block_.bytes, MADV_REMOVE), 0);
  if (can_evict_lines()) shared_->evict(address_, kBytes);
  EXPECT_EQ(read(0, 2), std::string(2, '\0'));
}

TEST_F(SharedMemoryOfWorker, keeps_its_size) {
  EXPECT_NE(ftruncate(block_.file, 4096), 0);
  EXPECT_FALSE(shared_->memory().write(address_ + block_.bytes, "behind", 6));
  const int unsealed = memfd_create("unsealed", MFD_CLOEXEC);
  ASSERT_EQ(ftruncate(unsealed, kBytes), 0);
  EXPECT_EQ(SharedMemory::of(getpid(), unsealed, address_, kBytes), nullptr);
  close(unsealed);
}

}  // namespace
}  // namespace tactus
