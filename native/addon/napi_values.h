// Values of JavaScript as ours, and ours as theirs. A value of another type than wanted reads as zero, or as
// empty.
#pragma once

#include <node_api.h>

#include "core/base.h"
#include "core/clock.h"

namespace procleash {

int64_t integer(napi_env env, napi_value value);
// JavaScript's milliseconds.
Nanos milliseconds(napi_env env, napi_value value);
napi_value number(napi_env env, double value);
napi_value boolean(napi_env env, bool value);

// The elements of a typed array of that kind; empty where it is none.
template <typename T>
Span<T> typed_array(napi_env env, napi_value value, napi_typedarray_type wanted) {
  napi_typedarray_type type = napi_int8_array;
  size_t size = 0;
  void* data = nullptr;
  if (napi_get_typedarray_info(env, value, &type, &size, &data, nullptr, nullptr) != napi_ok ||
      type != wanted) {
    return Span<T>{};
  }
  return Span<T>{static_cast<T*>(data), size};
}

// Null without memory; *data is where its bytes lie.
napi_value array_buffer(napi_env env, size_t size, void** data);

// The string's UTF-8 with its NUL; the caller frees. Null without memory.
char* copy_string(napi_env env, napi_value value, size_t* size);

napi_value throw_misuse(napi_env env, const char* what);

}  // namespace procleash
