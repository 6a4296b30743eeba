// A libstdc++.so.6 for musl with what one program needs of it, linked from g++'s own static library. Alpine has a real
// one; neither npm nor Debian has. Of glibc it uses four things, and these are given here.

import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { dynamicSymbols } from './elf.js'

const glibc = `
#include <pthread.h>
#include <sys/random.h>
char __libc_single_threaded = 0;
int __pthread_key_create(pthread_key_t* key, void (*end)(void*)) { return pthread_key_create(key, end); }
/* Not found: no exception is caught. */
int _dl_find_object(void* address, void* result) { (void)address; (void)result; return -1; }
unsigned arc4random(void) { unsigned value = 0; getrandom(&value, sizeof value, 0); return value; }
`

/** C++'s own symbols: mangled, or of its runtime. Those that the program defines itself too: a copy relocation. */
const isOfCxx = (name: string) => /^(_Z|__cxa_|__dynamic_cast|__once_proxy)/.test(name)

export function makeMuslStandardLibrary(program: string, folder: string): void {
  const source = join(folder, 'glibc.c')
  const object = join(folder, 'glibc.o')
  writeFileSync(source, glibc)
  execFileSync('musl-gcc', ['-fPIC', '-O1', '-c', source, '-o', object])
  const wanted = new Set(
    dynamicSymbols(program)
      .map(({ name }) => name)
      .filter(isOfCxx),
  )
  const part = (name: string) =>
    execFileSync('g++', [`-print-file-name=${name}`], { encoding: 'utf8' }).trim()
  execFileSync('g++', [
    '-shared',
    '-nostdlib',
    '-Wl,-soname,libstdc++.so.6',
    ...[...wanted].map((name) => `-Wl,-u,${name}`),
    part('crtbeginS.o'),
    object,
    '-Wl,--start-group',
    ...['libstdc++.a', 'libgcc_eh.a', 'libgcc.a'].map(part),
    '-Wl,--end-group',
    part('crtendS.o'),
    '-o',
    join(folder, 'libstdc++.so.6'),
  ])
  for (const file of [source, object]) rmSync(file)
}
