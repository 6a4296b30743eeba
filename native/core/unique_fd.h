// Owns one descriptor and closes it once. Never closes 0 to 2: those are never ours.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include "core/base.h"

namespace procleash {

class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(const UniqueFd&) = delete;
  UniqueFd& operator=(const UniqueFd&) = delete;
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    if (this != &other) reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }

  int release() {
    int fd = fd_;
    fd_ = -1;
    return fd;
  }

  // close(2) is not repeated after EINTR: Linux has freed the number by then, and another thread may own it.
  void reset(int fd = -1) {
    if (fd_ > 2) close(fd_);
    fd_ = fd;
  }

 private:
  int fd_ = -1;
};

}  // namespace procleash
