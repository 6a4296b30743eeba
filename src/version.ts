// A constant, because no way of reading package.json works in all runtimes without a permission or a warning.

/** Of this package; package.json and the addon say the same. */
export const VERSION = '0.1.0'
