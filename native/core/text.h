// Builds short texts in a bounded buffer, without printf(3), which would double the helper's size. What does
// not fit is cut, and remembered as such.
#pragma once

#include "core/base.h"

namespace procleash {

template <size_t kRoom>
class TextBuffer {
 public:
  TextBuffer& put(const char* text) {
    while (*text != '\0') put_char(*text++);
    return *this;
  }
  TextBuffer& put(Span<const char> text) {
    for (char c : text) put_char(c);
    return *this;
  }
  TextBuffer& number(uint64_t value) { return digits(value, 10, 1); }
  // Hexadecimal, filled up with zeros.
  TextBuffer& hex(uint64_t value, size_t width) { return digits(value, 16, width); }

  void cut(size_t size) { text_[size_ = min(size, size_)] = '\0'; }
  void clear() {
    cut(0);
    overflowed_ = false;
  }
  bool empty() const { return size_ == 0; }
  bool overflowed() const { return overflowed_; }
  size_t size() const { return size_; }
  const char* c_str() const { return text_; }
  Span<const char> view() const { return Span<const char>{text_, size_}; }

 private:
  void put_char(char c) {
    if (size_ + 1 >= kRoom) {
      overflowed_ = true;
      return;
    }
    text_[size_++] = c;
    text_[size_] = '\0';
  }
  TextBuffer& digits(uint64_t value, uint64_t base, size_t width) {
    char reversed[20];
    size_t n = 0;
    do {
      reversed[n++] = "0123456789abcdef"[value % base];
      value /= base;
    } while (value != 0);
    for (size_t i = n; i < width; i++) put_char('0');
    while (n > 0) put_char(reversed[--n]);
    return *this;
  }

  char text_[kRoom] = {};
  size_t size_ = 0;
  bool overflowed_ = false;
};

}  // namespace procleash
