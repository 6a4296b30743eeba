#include "init/signal_names.h"

#include <signal.h>
#include <string.h>
#include <strings.h>

namespace procleash {
namespace {

constexpr int kFirstRealtime = 34;

struct Known {
  int number;
  const char* name;
};

// The first name of a number is the one that is printed.
constexpr Known kKnown[] = {
    {SIGHUP, "HUP"},           {SIGINT, "INT"},        {SIGQUIT, "QUIT"},
    {SIGILL, "ILL"},           {SIGTRAP, "TRAP"},      {SIGABRT, "ABRT"},
    {SIGIOT, "IOT"},           {SIGBUS, "BUS"},        {SIGFPE, "FPE"},
    {SIGKILL, "KILL"},         {SIGUSR1, "USR1"},      {SIGSEGV, "SEGV"},
    {SIGUSR2, "USR2"},         {SIGPIPE, "PIPE"},      {SIGALRM, "ALRM"},
    {SIGTERM, "TERM"},         {SIGSTKFLT, "STKFLT"},  {SIGCHLD, "CHLD"},
    {SIGCONT, "CONT"},         {SIGSTOP, "STOP"},      {SIGTSTP, "TSTP"},
    {SIGTTIN, "TTIN"},         {SIGTTOU, "TTOU"},      {SIGURG, "URG"},
    {SIGXCPU, "XCPU"},         {SIGXFSZ, "XFSZ"},      {SIGVTALRM, "VTALRM"},
    {SIGPROF, "PROF"},         {SIGWINCH, "WINCH"},    {SIGIO, "IO"},
    {SIGPOLL, "POLL"},         {SIGPWR, "PWR"},        {SIGSYS, "SYS"},
    {kFirstRealtime, "RTMIN"}, {kLastSignal, "RTMAX"},
};

bool starts_with(Span<const char> text, const char* prefix) {
  const size_t size = strlen(prefix);
  return text.size >= size && strncasecmp(text.data, prefix, size) == 0;
}

Span<const char> without(Span<const char> text, size_t size) {
  return Span<const char>{text.data + size, text.size - size};
}

// At most two digits: more is no signal.
int small_number(Span<const char> text) {
  if (text.size == 0 || text.size > 2) return -1;
  int value = 0;
  for (const char digit : text) {
    if (digit < '0' || digit > '9') return -1;
    value = value * 10 + (digit - '0');
  }
  return value;
}

}  // namespace

int signal_number(Span<const char> text) {
  int number = small_number(text);
  if (number < 0) {
    if (starts_with(text, "SIG")) text = without(text, 3);
    for (const Known& known : kKnown) {
      if (text.size == strlen(known.name) && starts_with(text, known.name)) return known.number;
    }
    const int offset = starts_with(text, "RTMIN+") ? small_number(without(text, 6)) : -1;
    if (offset >= 0) number = kFirstRealtime + offset;
  }
  return number >= 1 && number <= kLastSignal ? number : -1;
}

SignalName signal_name(int number) {
  SignalName name = {"SIG"};
  for (const Known& known : kKnown) {
    if (known.number != number) continue;
    strcpy(name.text + 3, known.name);
    return name;
  }
  const int offset = number - kFirstRealtime;
  strcpy(name.text + 3, offset < 0 ? "RTMIN-" : "RTMIN+");
  const int distance = offset < 0 ? -offset : offset;
  char* at = name.text + strlen(name.text);
  if (distance >= 10) *at++ = static_cast<char>('0' + distance / 10 % 10);
  *at++ = static_cast<char>('0' + distance % 10);
  *at = '\0';
  return name;
}

}  // namespace procleash
