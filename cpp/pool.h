// The threads: a small persistent pool of our own, because it must survive a fork.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>

namespace savvybayes {

// The user asked to stop (Ctrl-C) while tasks were running.
struct Interrupted : std::exception {
    const char* what() const noexcept override { return "interrupted"; }
};

// Runs task(0), ..., task(tasks - 1), each once, on at most thread_limit() threads, the calling one among them, and
// returns when all have ended. The first exception of a task is thrown here, and tasks not yet begun are dropped.
// Several threads may call at once; a task may not call.
//
// An interrupt is noticed between two tasks: one that may last a tenth of a second or more calls checkpoint().
void parallel(std::size_t tasks, const std::function<void(std::size_t)>& task);

// Called now and then in a long task: throws where the user asked to stop, or another task has failed.
void checkpoint();

// How many threads parallel() may use when the present thread calls it: 1 until it is set.
int thread_limit();
void set_thread_limit(int threads);

// `check` says whether the user wants to stop. It is asked by the calling thread of parallel(), a few times a second.
void set_interrupt_check(std::function<bool()> check);

}  // namespace savvybayes
