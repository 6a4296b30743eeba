declare module 'node-api-headers' {
  interface Version {
    readonly js_native_api_symbols: readonly string[]
    readonly node_api_symbols: readonly string[]
  }
  /** What each version of Node-API has, the earlier ones' included. */
  export const symbols: Readonly<Record<'v8', Version>>
}
