// The features that the suite runs without (PROCLEASH_DISABLE, which hosts inherit): see scripts/stepdown.mjs.

const names = (process.env.PROCLEASH_DISABLE ?? '').split(',').filter(Boolean)

export function isTurnedOff(feature: string): boolean {
  return names.includes(feature)
}

/** For a host that does without this one as well. */
export function turnedOffToo(feature: string): { readonly PROCLEASH_DISABLE: string } {
  return { PROCLEASH_DISABLE: [...names, feature].join(',') }
}
