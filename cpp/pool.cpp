#include "pool.h"

#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace savvybayes {
namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenInterruptChecks = std::chrono::milliseconds(50);

std::function<bool()>& interrupt_check() {
    static auto* check = new std::function<bool()>([] { return false; });
    return *check;
}

class Job;

// The job that the present thread works at.
Job*& job_of_this_thread() {
    thread_local Job* job = nullptr;
    return job;
}

// One call of parallel(): tasks are handed out by number until none is left or one has failed.
class Job {
  public:
    Job(std::size_t tasks, const std::function<void(std::size_t)>& task) : tasks_(tasks), task_(task) {}

    // Takes tasks until there are none.
    void work() {
        job_of_this_thread() = this;
        for (std::size_t i; (i = next_.fetch_add(1)) < tasks_;) {
            try {
                task_(i);
                stop_if_wanted();
            } catch (...) {
                fail(std::current_exception());
            }
        }
        job_of_this_thread() = nullptr;
    }

    // Throws where the user asked to stop, which the calling thread alone can tell, or where a task has failed.
    void stop_if_wanted() {
        if (failed_.load()) throw Interrupted();
        if (std::this_thread::get_id() != caller_) return;
        const auto now = Clock::now();
        if (now - last_check_ < kBetweenInterruptChecks) return;
        last_check_ = now;
        if (interrupt_check()()) throw Interrupted();
    }

    void fail(std::exception_ptr error) {
        std::lock_guard lock(mutex_);
        if (!error_) error_ = std::move(error);
        failed_.store(true);
        next_.store(tasks_);
    }

    bool open() const { return next_.load() < tasks_; }

    void rethrow() {
        if (error_) std::rethrow_exception(error_);
    }

    int helpers_wanted = 0;  // guarded by the pool's mutex, as is the next
    int helpers_inside = 0;

  private:
    const std::size_t tasks_;
    const std::function<void(std::size_t)>& task_;
    const std::thread::id caller_ = std::this_thread::get_id();
    Clock::time_point last_check_ = Clock::now();
    std::atomic<std::size_t> next_{0};
    std::atomic<bool> failed_{false};
    std::mutex mutex_;
    std::exception_ptr error_;
};

class Pool {
  public:
    void run(Job& job, int helpers) {
        {
            std::lock_guard lock(mutex_);
            try {
                while (static_cast<int>(workers_.size()) < helpers) workers_.emplace_back([this] { serve(); });
            } catch (const std::system_error&) {
                // The system gives no more threads: those that there are, at least the calling one, do the work.
            }
            job.helpers_wanted = helpers;
            jobs_.push_back(&job);
        }
        wake_.notify_all();
        job.work();
        std::unique_lock lock(mutex_);
        std::erase(jobs_, &job);
        while (job.helpers_inside > 0) {
            if (left_.wait_for(lock, kBetweenInterruptChecks) == std::cv_status::timeout) {
                lock.unlock();
                try {
                    job.stop_if_wanted();
                } catch (...) {
                    job.fail(std::current_exception());
                }
                lock.lock();
            }
        }
    }

  private:
    [[noreturn]] void serve() {
        std::unique_lock lock(mutex_);
        for (;;) {
            auto job = std::find_if(jobs_.begin(), jobs_.end(),
                                    [](const Job* j) { return j->helpers_wanted > 0 && j->open(); });
            if (job == jobs_.end()) {
                wake_.wait(lock);
                continue;
            }
            Job& taken = **job;
            --taken.helpers_wanted;
            ++taken.helpers_inside;
            lock.unlock();
            taken.work();
            lock.lock();
            --taken.helpers_inside;
            left_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable wake_, left_;
    std::deque<Job*> jobs_;
    std::deque<std::thread> workers_;
};

// Never destroyed: its threads may outlive every static object. After a fork the child has none of the threads and
// must not touch a mutex that another thread may have held, so it leaves the pool behind and starts a new one.
std::atomic<Pool*> the_pool{nullptr};

Pool& pool() {
    static const int registered = pthread_atfork(nullptr, nullptr, [] { the_pool.store(nullptr); });
    static_cast<void>(registered);
    Pool* present = the_pool.load();
    if (!present) {
        auto fresh = std::make_unique<Pool>();
        if (the_pool.compare_exchange_strong(present, fresh.get())) present = fresh.release();
    }
    return *present;
}

int& limit_of_this_thread() {
    thread_local int limit = 1;
    return limit;
}

}  // namespace

void set_interrupt_check(std::function<bool()> check) { interrupt_check() = std::move(check); }

void checkpoint() {
    if (Job* job = job_of_this_thread()) job->stop_if_wanted();
}

int thread_limit() { return limit_of_this_thread(); }

void set_thread_limit(int threads) { limit_of_this_thread() = std::max(threads, 1); }

void parallel(std::size_t tasks, const std::function<void(std::size_t)>& task) {
    if (tasks == 0) return;
    Job job(tasks, task);
    const auto helpers = static_cast<int>(std::min(static_cast<std::size_t>(thread_limit()), tasks)) - 1;
    if (helpers > 0)
        pool().run(job, helpers);
    else
        job.work();
    job.rethrow();
}

}  // namespace savvybayes
