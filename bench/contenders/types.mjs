// What a contender is. Types only.

/**
 * @typedef {object} StartOptions
 * @property {Record<string, string>} [env]
 * @property {number} [timeout] Milliseconds, by the contender's own option where it has one.
 * @property {AbortSignal} [signal] By the contender's own option where it has one.
 * @property {number} [grace] Milliseconds from SIGTERM to SIGKILL, where the contender knows such a time. Default: 500.
 * @property {string} [cgroup] An empty cgroup, for those that need one.
 */

/**
 * @typedef {object} Running
 * @property {number} pid
 * @property {() => Promise<unknown>} stop Ends when the contender says that it is done.
 */

/** @typedef {(file: string, args: string[], options: StartOptions) => Promise<Running>} Start */

/**
 * @typedef {object} Contender
 * @property {Start} start
 * @property {readonly string[]} [runtimes] Those that have it. Default: all.
 * @property {readonly string[]} [hostArgs] Arguments of the runtime, before the host's script.
 * @property {() => string | undefined | Promise<string | undefined>} [missing] Why it can't be measured in this runtime; asked there.
 * @property {string} title For people.
 */

export {}
