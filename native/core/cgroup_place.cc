#include "core/cgroup_place.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/sys.h"
#include "core/unique_fd.h"

namespace procleash {
namespace {

// The next word of a line; empty at its end.
Span<const char> next_word(Span<const char> line, size_t* at) {
  while (*at < line.size && line[*at] == ' ') (*at)++;
  const size_t start = *at;
  while (*at < line.size && line[*at] != ' ') (*at)++;
  return Span<const char>{line.data + start, *at - start};
}

bool is(Span<const char> word, const char* text) {
  return word.size == strlen(text) && memcmp(word.data, text, word.size) == 0;
}

bool octal(char c) { return c >= '0' && c <= '7'; }

// Blanks, tabs, newlines and backslashes of a path stand as \ and three octal digits.
bool unescape(Span<const char> word, CgroupPath* out) {
  out->clear();
  for (size_t i = 0; i < word.size; i++) {
    char c = word[i];
    if (c == '\\' && i + 3 < word.size && octal(word[i + 1]) && octal(word[i + 2]) && octal(word[i + 3])) {
      c = static_cast<char>((word[i + 1] - '0') * 64 + (word[i + 2] - '0') * 8 + (word[i + 3] - '0'));
      i += 3;
    }
    out->put(Span<const char>{&c, 1});
  }
  return !out->empty() && !out->overflowed();
}

using VisitLine = bool (*)(void* context, Span<const char> line);

// Until a visit gives true. A line longer than the buffer is none of those that are looked for.
bool find_line(int fd, VisitLine visit, void* context) {
  char buffer[8192];
  size_t have = 0;
  bool skipping = false;
  for (;;) {
    const ssize_t n = read(fd, buffer + have, sizeof(buffer) - have);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    have += static_cast<size_t>(n);
    size_t start = 0;
    for (;;) {
      const void* end = memchr(buffer + start, '\n', have - start);
      if (end == nullptr) break;
      const size_t size = static_cast<size_t>(static_cast<const char*>(end) - buffer) - start;
      if (!skipping && visit(context, Span<const char>{buffer + start, size})) return true;
      skipping = false;
      start += size + 1;
    }
    have -= start;
    memmove(buffer, buffer + start, have);
    if (have == sizeof(buffer)) {
      skipping = true;
      have = 0;
    }
  }
}

struct Search {
  const CgroupPath* own;
  CgroupPath* found;
  bool mounted;
};

bool visit_mount(void* context, Span<const char> line) {
  auto* search = static_cast<Search*>(context);
  CgroupPath root;
  CgroupPath mount_point;
  if (!parse_cgroup2_mount(line, &root, &mount_point)) return false;
  search->mounted = true;
  return cgroup_folder(*search->own, root, mount_point, search->found);
}

// The text of a small file of a cgroup. -1 with errno where it can't be read.
ssize_t read_small(int directory, const char* name, char* out, size_t size) {
  UniqueFd fd(openat(directory, name, O_RDONLY | O_CLOEXEC));
  return fd.valid() ? read(fd.get(), out, size) : -1;
}

constexpr struct {
  const char* name;
  uint32_t bit;
} kControllers[] = {{"memory", kMemoryController}, {"pids", kPidsController}, {"cpu", kCpuController}};

uint32_t controllers_in(int directory, const char* file) {
  char text[512];
  const ssize_t n = read_small(directory, file, text, sizeof(text));
  if (n <= 0) return 0;
  Span<const char> line{text, static_cast<size_t>(n)};
  if (line[line.size - 1] == '\n') line.size--;
  uint32_t found = 0;
  size_t at = 0;
  for (Span<const char> word = next_word(line, &at); word.size > 0; word = next_word(line, &at)) {
    for (const auto& controller : kControllers) {
      if (is(word, controller.name)) found |= controller.bit;
    }
  }
  return found;
}

// Only where no process lives in it, or in the true root of the hierarchy, which has no type (cgroups(7)).
bool may_enable(int directory) {
  if (faccessat(directory, "cgroup.subtree_control", W_OK, 0) != 0) return false;
  if (faccessat(directory, "cgroup.type", F_OK, 0) != 0) return true;
  char first = 0;
  return read_small(directory, "cgroup.procs", &first, 1) == 0;
}

CgroupLack look_into(int parent, const char* name) {
  UniqueFd made(openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!made.valid()) return CgroupLack::kRefused;
  // Present in every cgroup but the root.
  if (faccessat(made.get(), "cgroup.kill", W_OK, 0) != 0) return CgroupLack::kNoKill;
  char type[32];
  const ssize_t n = read_small(made.get(), "cgroup.type", type, sizeof(type));
  const bool domain = n >= 7 && memcmp(type, "domain\n", 7) == 0;
  return domain ? CgroupLack::kNone : CgroupLack::kThreaded;
}

}  // namespace

bool parse_cgroup2_mount(Span<const char> line, CgroupPath* root, CgroupPath* mount_point) {
  size_t at = 0;
  for (int field = 0; field < 3; field++) next_word(line, &at);
  const Span<const char> root_word = next_word(line, &at);
  const Span<const char> point_word = next_word(line, &at);
  // Optional fields of any number end with a single hyphen.
  for (Span<const char> word = next_word(line, &at); !is(word, "-"); word = next_word(line, &at)) {
    if (word.size == 0) return false;
  }
  return is(next_word(line, &at), "cgroup2") && unescape(root_word, root) &&
         unescape(point_word, mount_point);
}

bool parse_own_cgroup(Span<const char> line, CgroupPath* out) {
  constexpr char kStart[] = "0::";
  constexpr size_t kSize = sizeof(kStart) - 1;
  if (line.size <= kSize || memcmp(line.data, kStart, kSize) != 0) return false;
  out->clear();
  out->put(Span<const char>{line.data + kSize, line.size - kSize});
  return out->c_str()[0] == '/' && !out->overflowed();
}

bool cgroup_folder(const CgroupPath& own, const CgroupPath& root, const CgroupPath& mount_point,
                   CgroupPath* out) {
  // "/..": outside of the cgroup namespace (cgroup_namespaces(7)).
  if (strncmp(own.c_str(), "/..", 3) == 0) return false;
  const bool whole = strcmp(root.c_str(), "/") == 0;
  const size_t skip = whole ? 0 : root.size();
  if (strncmp(own.c_str(), root.c_str(), skip) != 0) return false;
  const char* rest = own.c_str() + skip;
  if (*rest != '\0' && *rest != '/') return false;
  out->clear();
  out->put(mount_point.view());
  if (strcmp(rest, "/") != 0) out->put(rest);
  return !out->overflowed();
}

void find_places(int proc, const char* override_path, CgroupPlaces* out) {
  out->count = 0;
  if (override_path != nullptr && override_path[0] != '\0') {
    out->place[out->count++].path.put(override_path);
    return;
  }
  CgroupPath own;
  UniqueFd own_file(openat(proc, "self/cgroup", O_RDONLY | O_CLOEXEC));
  const bool known =
      own_file.valid() && find_line(
                              own_file.get(),
                              [](void* context, Span<const char> line) {
                                return parse_own_cgroup(line, static_cast<CgroupPath*>(context));
                              },
                              &own);
  UniqueFd mounts(openat(proc, "self/mountinfo", O_RDONLY | O_CLOEXEC));
  CgroupPath* first = &out->place[0].path;
  Search search{&own, first, false};
  const bool found = known && mounts.valid() && find_line(mounts.get(), visit_mount, &search);
  if (!found) {
    out->lack = search.mounted ? CgroupLack::kOutside : CgroupLack::kNoHierarchy;
    return;
  }
  out->count = 1;
  if (strcmp(own.c_str(), "/") == 0) return;
  // Beside the host: where the cgroup around it is delegated as well, and has no process of its own.
  CgroupPath* second = &out->place[out->count].path;
  second->put(first->view());
  size_t end = first->size();
  while (end > 1 && first->c_str()[end - 1] != '/') end--;
  second->cut(end - 1);
  if (!second->empty()) out->count++;
}

void probe_place(CgroupPlace* place) {
  place->lack = CgroupLack::kRefused;
  UniqueFd directory(open(place->path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  // To move a process into a cgroup takes this right in the one around both (cgroups(7), delegation).
  if (!directory.valid() || faccessat(directory.get(), "cgroup.procs", W_OK, 0) != 0) {
    place->number = errno;
    return;
  }
  TextBuffer<64> name;
  name.put("procleash-probe-")
      .number(static_cast<uint64_t>(getpid()))
      .put("-")
      .number(static_cast<uint64_t>(syscall(SYS_gettid)));
  if (mkdirat(directory.get(), name.c_str(), 0755) != 0) {
    place->number = errno;
    return;
  }
  place->lack = look_into(directory.get(), name.c_str());
  unlinkat(directory.get(), name.c_str(), AT_REMOVEDIR);
  if (place->lack != CgroupLack::kNone) return;
  place->enabled = controllers_in(directory.get(), "cgroup.subtree_control");
  if (may_enable(directory.get())) {
    place->can_enable = controllers_in(directory.get(), "cgroup.controllers") & ~place->enabled;
  }
}

int enable_controllers(CgroupPlace* place, uint32_t controllers) {
  const uint32_t wanted = controllers & ~place->enabled;
  if (wanted == 0) return 0;
  TextBuffer<64> text;
  for (const auto& controller : kControllers) {
    if ((wanted & controller.bit) == 0) continue;
    text.put(text.empty() ? "+" : " +").put(controller.name);
  }
  CgroupPath file;
  file.put(place->path.view()).put("/cgroup.subtree_control");
  UniqueFd fd(open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.valid()) return errno;
  if (write(fd.get(), text.c_str(), text.size()) < 0) return errno;
  place->enabled |= wanted;
  return 0;
}

}  // namespace procleash
