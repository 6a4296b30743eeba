// One line of a message, built in place and written at once: what the main program writes to the same
// descriptor meanwhile can't come in between. Without printf the executable stays small. Too long a line is
// cut.
#pragma once

#include <string.h>
#include <unistd.h>

#include "core/base.h"

namespace procleash {

class Line {
 public:
  Line& operator<<(const char* text) {
    const size_t size = min(strlen(text), kRoom - size_);
    memcpy(text_ + size_, text, size);
    size_ += size;
    return *this;
  }

  Line& operator<<(long number) {
    char digits[21];
    size_t at = sizeof(digits);
    digits[--at] = '\0';
    const bool negative = number < 0;
    auto rest = negative ? 0UL - static_cast<unsigned long>(number) : static_cast<unsigned long>(number);
    do {
      digits[--at] = static_cast<char>('0' + rest % 10);
      rest /= 10;
    } while (rest != 0);
    if (negative) digits[--at] = '-';
    return *this << static_cast<const char*>(digits + at);
  }
  Line& operator<<(int number) { return *this << static_cast<long>(number); }

  // Another program's text: its control characters are none of the terminal's business.
  Line& printable(const char* text) {
    for (; *text != '\0'; text++) {
      const char one[2] = {*text < ' ' || *text == 0x7f ? '?' : *text, '\0'};
      *this << one;
    }
    return *this;
  }

  void write_to(int fd) {
    text_[size_++] = '\n';
    // Nobody is left to be told of an error here.
    ssize_t ignored = write(fd, text_, size_);
    (void)ignored;
    size_ = 0;
  }

 private:
  static constexpr size_t kRoom = 511;
  char text_[kRoom + 1];
  size_t size_ = 0;
};

// Begins a message of ours: they go to standard error.
inline Line message() {
  Line line;
  line << "procleash-init: ";
  return line;
}

}  // namespace procleash
