// Why a command or a watcher could not be asked for; bindings/native.ts knows the steps by these numbers.
#pragma once

namespace procleash {

enum class CallStep {
  kNone,
  kHelper,
  kSupervisor,
  kPipe,
  kDescriptor,
  kPath,
  kSpill,
  kMemory,
  kTooLarge,
  kCgroup,
};

struct CallFailure {
  int error = 0;  // errno; 0: none
  CallStep step = CallStep::kNone;
  int detail = 0;  // kDescriptor, kPath: of which stream; kHelper: errno of the start from memory
};

}  // namespace procleash
