#include "init/options.h"

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>

namespace procleash {

const char kHelp[] =
    "Usage: procleash-init [OPTIONS] [--] COMMAND [ARGUMENTS]\n"
    "\n"
    "PID 1 of a container: starts COMMAND as the main program, forwards signals to it, reaps what ends, and\n"
    "ends with its status. Before it ends, everything that still runs in the container is stopped.\n"
    "\n"
    "  -g                   forward signals to the main program's whole process group\n"
    "  -c, --single-child   SIGTERM goes to the main program alone; the rest is stopped once that has "
    "ended,\n"
    "                       or when three quarters of the budget are over\n"
    "  -r, --rewrite A:B    forward signal A as B; B = 0 drops A. May repeat\n"
    "  -e CODE              end with 0 where the status would be CODE (0 to 255). May repeat\n"
    "  -s                   when not PID 1: adopt orphans, as child subreaper\n"
    "  -p SIGNAL            receive SIGNAL when the parent of procleash-init ends\n"
    "      --budget TIME    from SIGTERM, or from the main program's end, until nothing is left, SIGKILL\n"
    "                       included: 500ms, 8s, 1.5m; 0 kills at once (default: 8s)\n"
    "  -w                   a message for each process that was adopted and reaped\n"
    "  -v, --verbose        say what is done; -vv says more\n"
    "  -h, --help           show this help\n"
    "  -V, --version        show the version\n"
    "\n"
    "Signals are names (TERM, SIGTERM) or numbers. SIGTERM stops everything: each process gets it, then\n"
    "SIGCONT, and SIGKILL when the budget is nearly over. Every other signal is forwarded.\n"
    "\n"
    "Exit status: that of the main program, 128+N if signal N ended it; 125 if procleash-init failed, 126 "
    "if\n"
    "COMMAND can't be executed, 127 if it was not found.\n";

namespace {

enum LongOnly { kBudgetOption = 256 };

constexpr struct option kLongOptions[] = {
    {"single-child", no_argument, nullptr, 'c'},
    {"rewrite", required_argument, nullptr, 'r'},
    {"budget", required_argument, nullptr, kBudgetOption},
    {"verbose", no_argument, nullptr, 'v'},
    {"help", no_argument, nullptr, 'h'},
    {"version", no_argument, nullptr, 'V'},
    {nullptr, 0, nullptr, 0},
};

// As `procleash run` reads them: a bare number is seconds. -1 where the text is none.
Nanos parse_duration(const char* text) {
  constexpr struct {
    const char* name;
    Nanos unit;
  } kUnits[] = {
      {"ms", kMillisecond}, {"s", kSecond}, {"", kSecond}, {"m", 60 * kSecond}, {"h", 3600 * kSecond}};
  // 2^31-1 ms, where `procleash run` ends too.
  constexpr Nanos kLongest = INT32_MAX * kMillisecond;
  constexpr Nanos kFinest = 1'000'000;
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  Nanos whole = 0;
  Nanos parts = 0;  // millionths
  const char* at = text;
  for (; is_digit(*at) && whole < kLongest; at++) whole = whole * 10 + (*at - '0');
  bool number = at > text;
  if (*at == '.') {
    Nanos unit = kFinest;
    for (at++; is_digit(*at); at++) {
      unit /= 10;
      parts += (*at - '0') * unit;
      number = true;
    }
  }
  for (const auto& known : kUnits) {
    if (!number || strcmp(at, known.name) != 0) continue;
    if (whole > kLongest / known.unit) return -1;
    const Nanos duration = whole * known.unit + parts * known.unit / kFinest;
    return duration <= kLongest ? duration : -1;
  }
  return -1;
}

bool parse_signal(const char* text, int* out) {
  *out = signal_number(Span<const char>{text, strlen(text)});
  return *out > 0;
}

bool parse_status(const char* text, Options* options) {
  char* end = nullptr;
  const long value = strtol(text, &end, 10);
  if (end == text || *end != '\0' || value < 0 || value > 255) return false;
  options->success[value] = true;
  return true;
}

bool parse_rewrite(const char* text, Options* options) {
  const char* colon = strchr(text, ':');
  if (colon == nullptr) return false;
  const int from = signal_number(Span<const char>{text, static_cast<size_t>(colon - text)});
  int to = 0;
  if (strcmp(colon + 1, "0") != 0 && !parse_signal(colon + 1, &to)) return false;
  // These never reach us as signals to forward.
  if (from < 1 || from == SIGKILL || from == SIGSTOP || from == SIGCHLD) return false;
  options->rewritten[from] = static_cast<uint8_t>(to);
  return true;
}

bool take_option(int option, const char* value, Options* options) {
  switch (option) {
    case 'c':
      options->single_child = true;
      return true;
    case 'g':
      options->group = true;
      return true;
    case 's':
      options->subreaper = true;
      return true;
    case 'v':
      options->verbosity++;
      return true;
    case 'w':
      options->warn_of_reaped = true;
      return true;
    case 'e':
      return parse_status(value, options);
    case 'p':
      return parse_signal(value, &options->parent_death_signal);
    case 'r':
      return parse_rewrite(value, options);
    case kBudgetOption:
      options->budget = parse_duration(value);
      return options->budget >= 0;
    default:
      return false;
  }
}

void explain(int option, const char* word, const char* value, Line* problem) {
  const bool with_value = value != nullptr;
  if (option == 'p') {
    *problem << "-p takes a signal, like TERM or 15; got '";
  } else if (option == 'e') {
    *problem << "-e takes a status from 0 to 255; got '";
  } else if (option == 'r') {
    *problem << "-r takes two signals, like TERM:QUIT, the first not KILL, STOP or CHLD; got '";
  } else if (option == kBudgetOption) {
    *problem << "--budget takes a time, like 500ms, 8s or 1.5m; got '";
  } else {
    *problem << (option == ':' ? "a value is missing after '" : "unknown option '");
  }
  problem->printable(with_value ? value : word);
  *problem << "'";
}

}  // namespace

Parsed parse_options(int argc, char** argv, Options* options, Line* problem) {
  opterr = 0;
  for (;;) {
    const int word = optind;
    // + stops at the first word that is no option: what follows belongs to the command. : tells a missing
    // value from an unknown option.
    const int option = getopt_long(argc, argv, "+:cghsvVwe:p:r:", kLongOptions, nullptr);
    if (option < 0) break;
    if (option == 'h') return Parsed::kHelp;
    if (option == 'V') return Parsed::kVersion;
    const bool known = option != '?' && option != ':';
    if (take_option(option, optarg, options)) continue;
    explain(option, argv[word], known ? optarg : nullptr, problem);
    return Parsed::kWrong;
  }
  options->command = argv + optind;
  if (*options->command != nullptr) return Parsed::kCommand;
  *problem << "a command is missing";
  return Parsed::kWrong;
}

}  // namespace procleash
