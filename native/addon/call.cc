#include "addon/call.h"

namespace procleash {

Arguments::Arguments(napi_env env, napi_callback_info info) {
  napi_get_cb_info(env, info, &count, values, nullptr, nullptr);
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  reactor = static_cast<Reactor*>(data);
}

Command* command_of(napi_env env, const Arguments& a) {
  return find_command(a.reactor, static_cast<uint32_t>(integer(env, a.values[0])));
}

}  // namespace procleash
