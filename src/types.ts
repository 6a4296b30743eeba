// The public shapes, one file a concept. Types only; nothing here runs.

export type * from './types/adopt.js'
export type * from './types/capabilities.js'
export type * from './types/options.js'
export type * from './types/process.js'
export type * from './types/settlement.js'
export type * from './types/subprocess.js'
export type * from './types/watch.js'
