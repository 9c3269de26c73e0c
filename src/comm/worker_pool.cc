// SPDX-License-Identifier: Apache-2.0
#include "comm/worker_pool.hpp"

namespace weft::comm {

WorkerPool::WorkerPool(std::int32_t num_workers) {
  for (std::int32_t worker = 1; worker < num_workers; ++worker) {
    threads_.emplace_back([this, worker] { loop(worker); });
  }
}

WorkerPool::~WorkerPool() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  start_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkerPool::run(const std::function<void(std::int32_t)>& fn, std::atomic<bool>& abort) {
  {
    const std::lock_guard lock(mutex_);
    fn_ = &fn;
    abort_ = &abort;
    error_ = nullptr;
    running_ = static_cast<std::int32_t>(threads_.size());
    ++job_;
  }
  if (!threads_.empty()) start_.notify_all();
  call(0);
  std::unique_lock lock(mutex_);
  finish_.wait(lock, [this] { return running_ == 0; });
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

void WorkerPool::call(std::int32_t worker) {
  try {
    (*fn_)(worker);
  } catch (...) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = std::current_exception();
    abort_->store(true);
  }
}

void WorkerPool::loop(std::int32_t worker) {
  std::uint64_t seen = 0;
  for (;;) {
    {
      std::unique_lock lock(mutex_);
      start_.wait(lock, [&] { return stop_ || job_ != seen; });
      if (stop_) return;
      seen = job_;
    }
    call(worker);
    const std::lock_guard lock(mutex_);
    if (--running_ == 0) finish_.notify_one();
  }
}

}  // namespace weft::comm
