// SPDX-License-Identifier: Apache-2.0
// The threads of one rank: worker 0 is the rank's own thread, the others wait here.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

namespace weft::comm {

class WorkerPool {
 public:
  /// Starts `num_workers` - 1 threads.
  explicit WorkerPool(std::int32_t num_workers);
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// Runs fn(worker) for each worker and joins. The first exception raises `abort` and is rethrown.
  void run(const std::function<void(std::int32_t)>& fn, std::atomic<bool>& abort);

 private:
  void loop(std::int32_t worker);
  void call(std::int32_t worker);

  std::mutex mutex_;
  std::condition_variable start_, finish_;
  std::uint64_t job_ = 0;
  std::int32_t running_ = 0;
  bool stop_ = false;
  const std::function<void(std::int32_t)>* fn_ = nullptr;
  std::atomic<bool>* abort_ = nullptr;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace weft::comm
