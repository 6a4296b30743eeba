#include "addon/napi_values.h"

#include <stdlib.h>

namespace procleash {

int64_t integer(napi_env env, napi_value value) {
  int64_t number = 0;
  napi_get_value_int64(env, value, &number);
  return number;
}

Nanos milliseconds(napi_env env, napi_value value) {
  double number = 0;
  napi_get_value_double(env, value, &number);
  return nanos_of(number);
}

napi_value number(napi_env env, double value) {
  napi_value result = nullptr;
  napi_create_double(env, value, &result);
  return result;
}

napi_value boolean(napi_env env, bool value) {
  napi_value result = nullptr;
  napi_get_boolean(env, value, &result);
  return result;
}

napi_value array_buffer(napi_env env, size_t size, void** data) {
  napi_value buffer = nullptr;
  if (napi_create_arraybuffer(env, size, data, &buffer) != napi_ok) return nullptr;
  return buffer;
}

char* copy_string(napi_env env, napi_value value, size_t* size) {
  // Most requests fit: one call instead of two.
  size_t room = 16384;
  for (;;) {
    auto* copy = static_cast<char*>(malloc(room));
    if (copy == nullptr) return nullptr;
    if (napi_get_value_string_utf8(env, value, copy, room, size) != napi_ok) *size = 0;
    // A character may take four bytes: only with more room than that left was nothing cut.
    if (*size + 5 <= room) return copy;
    free(copy);
    napi_get_value_string_utf8(env, value, nullptr, 0, size);
    room = *size + 8;
  }
}

napi_value throw_misuse(napi_env env, const char* what) {
  napi_throw_type_error(env, "ERR_INVALID_ARG_TYPE", what);
  return nullptr;
}

}  // namespace procleash
