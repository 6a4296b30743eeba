// The mark in a command's environment, PROCLEASH_TREE: the ids of the trees that it belongs to, outermost
// first, each 16 hexadecimal digits, joined by colons. No secret: it only helps a sweep to find what nothing
// else ties to us.
#pragma once

#include <sys/types.h>

#include "core/base.h"

namespace procleash {

constexpr char kMarkName[] = "PROCLEASH_TREE=";
constexpr size_t kMarkNameSize = sizeof(kMarkName) - 1;
constexpr size_t kIdDigits = 16;
// Deeper nests keep their innermost ids only.
constexpr size_t kMaxMark = 256;

uint64_t new_tree_id();

// "PROCLEASH_TREE=<outer>:<id>" with its NUL into `out` (kMaxMark bytes and more). Gives the size, NUL
// included. `outer` is the value in the host's own environment, or null.
size_t build_mark(const char* outer, uint64_t id, Span<char> out);

// Whether the process was started with the mark of that tree.
bool has_mark(int proc, pid_t pid, uint64_t id);

}  // namespace procleash
