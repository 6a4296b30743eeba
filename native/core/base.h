// The few things that the standard C++ library would give. It is not used: the helper is static and tiny, and
// the addon must load with glibc and musl alike, so neither may need libstdc++ (feasibility, Q7).
#pragma once

#include <errno.h>
#include <stddef.h>
#include <stdint.h>

namespace procleash {

template <typename T>
struct RemoveReference {
  using Type = T;
};
template <typename T>
struct RemoveReference<T&> {
  using Type = T;
};
template <typename T>
struct RemoveReference<T&&> {
  using Type = T;
};

template <typename T>
constexpr typename RemoveReference<T>::Type&& move(T&& value) noexcept {
  return static_cast<typename RemoveReference<T>::Type&&>(value);
}

template <typename T>
constexpr T min(T a, T b) {
  return b < a ? b : a;
}

template <typename T>
constexpr T max(T a, T b) {
  return a < b ? b : a;
}

// A view of elements that somebody else owns.
template <typename T>
struct Span {
  T* data = nullptr;
  size_t size = 0;

  T& operator[](size_t index) const { return data[index]; }
  T* begin() const { return data; }
  T* end() const { return data + size; }
};

// A failed system call: its name and its errno.
struct Error {
  int number = 0;
  const char* call = "";

  explicit operator bool() const { return number != 0; }
};

inline Error last_error(const char* call) { return Error{errno, call}; }

// A value, or the error that stood in its way.
template <typename T>
struct Result {
  T value;
  Error error;

  Result(T v) : value(move(v)), error() {}  // NOLINT(google-explicit-constructor)
  Result(Error e) : value(), error(e) {}    // NOLINT(google-explicit-constructor)

  bool ok() const { return error.number == 0; }
};

}  // namespace procleash
