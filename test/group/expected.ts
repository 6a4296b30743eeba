// What does not hold with grade `group`, by reason: file and title of each test that is there to fail with it.

/** Title, or title and the runtimes that it is true of. */
type Entry = string | { readonly title: string; readonly runtimes: readonly string[] }

interface Reason {
  /** One sentence, for docs/portable.md. */
  readonly why: string
  readonly tests: Readonly<Record<string, readonly Entry[]>>
}

export const expected: readonly Reason[] = []

export const byChance: readonly Reason[] = []

export function isExpected(file: string, title: string, runtime: string): boolean {
  return has(expected, file, title, runtime)
}

export function isByChance(file: string, title: string, runtime: string): boolean {
  return has(byChance, file, title, runtime)
}

function has(reasons: readonly Reason[], file: string, title: string, runtime: string): boolean {
  return reasons.some(({ tests }) =>
    tests[file]?.some((entry) =>
      typeof entry === 'string' ? entry === title : entry.title === title && entry.runtimes.includes(runtime),
    ),
  )
}
