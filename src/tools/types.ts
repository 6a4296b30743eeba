// The public shapes of the tools. Types only; nothing here runs.

import type { ListedState } from '../owners/types.js'
import type { SignalName, Survivor } from '../types.js'

/** Options of {@link processTools}. */
export interface ProcessToolsOptions {
  /** Only trees of these kinds exist for the tools. Default: all, also those without a kind. */
  readonly kinds?: readonly string[] | undefined
  /** The most that `process_output` gives, and what it gives unasked. Default: 16 KiB. */
  readonly maxBytes?: number | undefined
  /** Milliseconds for a stop by `process_kill`. Default: each command's own budget. */
  readonly budget?: number | undefined
}

/** A JSON Schema of an object, as the SDKs take it. */
export interface JsonSchema {
  type: 'object'
  properties: Record<
    string,
    { type: 'string' | 'integer'; description: string; minimum?: number; maximum?: number }
  >
  required: string[]
  additionalProperties: false
}

/** One tool: a name and a description for the model, the schema of its input, and what it does. */
export interface ToolDefinition<Input, Output> {
  readonly name: string
  readonly description: string
  readonly inputSchema: JsonSchema
  /** The input is checked: it may come straight from a model. */
  execute(input: Input): Promise<Output>
}

/** A type rather than an interface, so that `Object.values()` and `Object.entries()` know what they give. */
export type ProcessTools = {
  readonly process_list: ToolDefinition<ListInput, ListOutput>
  readonly process_output: ToolDefinition<OutputInput, OutputOutput>
  readonly process_kill: ToolDefinition<KillInput, KillOutput>
}

export interface ListInput {
  readonly kind?: string | undefined
}

/** A tree, as a model sees it. */
export interface ListedProcess {
  readonly id: string
  readonly pid: number | null
  readonly kind: string | null
  readonly label: string | null
  /** The command line, with spaces between the arguments; long ones are cut. */
  readonly command: string
  readonly cwd: string
  readonly state: ListedState
  /** Seconds since it was started. */
  readonly age: number
  /** Milliseconds of CPU time, bytes resident and number of processes of the whole tree. */
  readonly cpuTime: number | null
  readonly memory: number | null
  readonly processes: number | null
  /** Whether `process_output` has something to show. */
  readonly hasOutput: boolean
}

export interface ListOutput {
  readonly processes: readonly ListedProcess[]
}

export interface OutputInput {
  readonly id: string
  readonly bytes?: number | undefined
}

export interface OutputOutput {
  readonly id: string
  readonly state: ListedState | 'ended'
  /** Of the command, once it has ended. */
  readonly code: number | null
  readonly signal: SignalName | null
  /** The end of what it wrote. */
  readonly output: string
  /** Whether something came before it. */
  readonly truncated: boolean
  /** Bytes written in all. */
  readonly size: number
}

export interface KillInput {
  readonly id: string
  /** Sends this one signal and stops nothing. Without it the whole tree is stopped. */
  readonly signal?: string | undefined
}

/** What came of it: a signal that was sent or not, or a stop and its outcome. */
export type KillOutput =
  | { readonly id: string; readonly signal: string; readonly sent: boolean }
  | {
      readonly id: string
      readonly outcome: 'empty' | 'survivors'
      /** Whether SIGKILL was needed. */
      readonly escalated: boolean
      readonly survivors: readonly Survivor[]
    }
