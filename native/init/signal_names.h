// Signals by name and number, as kill(1) and bash write them: names with or without SIG, in any case;
// real-time signals as RTMIN+n, counted from 34 (glibc keeps 32 and 33 for itself, signal(7)).
#pragma once

#include "core/base.h"

namespace procleash {

constexpr int kLastSignal = 64;

// 1 to 64, or -1 where the text names no signal.
int signal_number(Span<const char> text);

struct SignalName {
  char text[16];
};

SignalName signal_name(int number);

}  // namespace procleash
