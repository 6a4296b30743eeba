// The tools in the formats of three SDKs, with the real packages and without a network: what docs/tools.md shows.

import { expect, it } from 'vitest'
import { useOwnerHost, withPackages } from '../support/owners.js'
import { forEachRuntime } from '../support/runtimes.js'

forEachRuntime((runtime) => {
  const host = useOwnerHost(withPackages(runtime))

  it('Vercel AI SDK: tools of generateText, called by a model and checked by the SDK', async () => {
    const told = await host().evaluate(
      async ({ procleash }) => {
        const { generateText, jsonSchema, stepCountIs, tool } = await extras.load<typeof import('ai')>('ai')
        const { MockLanguageModelV3 } = await extras.load<typeof import('ai/test')>('ai/test')
        const owner = procleash.createOwner('ai')
        const command = await owner.spawn('sleep', ['60'], { kind: 'bash' })

        const definitions = extras.processTools(owner)
        const tools = Object.fromEntries(
          Object.entries(definitions).map(([name, { description, inputSchema, execute }]) => [
            name,
            tool({ description, inputSchema: jsonSchema(inputSchema), execute: execute as never }),
          ]),
        )

        const usage = {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        }
        const call = (toolName: string, input: object) => ({
          content: [
            { type: 'tool-call' as const, toolCallId: toolName, toolName, input: JSON.stringify(input) },
          ],
          finishReason: { unified: 'tool-calls' as const, raw: undefined },
          usage,
          warnings: [],
        })
        const done = {
          content: [{ type: 'text' as const, text: 'stopped' }],
          finishReason: { unified: 'stop' as const, raw: undefined },
          usage,
          warnings: [],
        }
        const model = new MockLanguageModelV3({
          doGenerate: [call('process_list', {}), call('process_kill', { id: command.id }), done],
        })
        const { steps, text } = await generateText({
          model,
          tools,
          prompt: 'stop the server',
          stopWhen: stepCountIs(5),
        })
        const sent = model.doGenerateCalls[0]?.tools?.map((sentTool) => ({
          name: sentTool.name,
          type: 'inputSchema' in sentTool ? sentTool.inputSchema.type : undefined,
        }))
        await owner.release()
        return {
          sent,
          results: steps.flatMap(({ toolResults }) => toolResults.map(({ output }) => output)),
          text,
          id: command.id,
        }
      },
      null,
      30_000,
    )
    expect(told.sent).toEqual(
      ['process_list', 'process_output', 'process_kill'].map((name) => ({ name, type: 'object' })),
    )
    expect(told.results).toMatchObject([
      { processes: [{ id: told.id, state: 'running' }] },
      { id: told.id, outcome: 'empty' },
    ])
    expect(told.text).toBe('stopped')
  })

  it('MCP TypeScript SDK: tools of a server, called by a client', async () => {
    const told = await host().evaluate(
      async ({ procleash }) => {
        const { Server } = await extras.load<typeof import('@modelcontextprotocol/sdk/server/index.js')>(
          '@modelcontextprotocol/sdk/server/index.js',
        )
        const { Client } = await extras.load<typeof import('@modelcontextprotocol/sdk/client/index.js')>(
          '@modelcontextprotocol/sdk/client/index.js',
        )
        const { InMemoryTransport } = await extras.load<
          typeof import('@modelcontextprotocol/sdk/inMemory.js')
        >('@modelcontextprotocol/sdk/inMemory.js')
        const { CallToolRequestSchema, ListToolsRequestSchema } = await extras.load<
          typeof import('@modelcontextprotocol/sdk/types.js')
        >('@modelcontextprotocol/sdk/types.js')
        const owner = procleash.createOwner('mcp')
        const command = await owner.spawn('sleep', ['60'], { kind: 'bash' })

        const tools = Object.values(extras.processTools(owner))
        const server = new Server({ name: 'processes', version: '1.0.0' }, { capabilities: { tools: {} } })
        server.setRequestHandler(ListToolsRequestSchema, () => ({
          tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
        }))
        server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
          const tool = tools.find(({ name }) => name === params.name)
          try {
            if (tool === undefined) throw new Error(`There is no tool ${params.name}`)
            const result = await tool.execute((params.arguments ?? {}) as never)
            return { content: [{ type: 'text', text: JSON.stringify(result) }] }
          } catch (error) {
            return { isError: true, content: [{ type: 'text', text: String(error) }] }
          }
        })

        const [here, there] = InMemoryTransport.createLinkedPair()
        const client = new Client({ name: 'test', version: '1.0.0' })
        await Promise.all([server.connect(here), client.connect(there)])
        const listed = await client.listTools()
        const text = async (name: string, input: Record<string, unknown>) => {
          const result = await client.callTool({ name, arguments: input })
          const [first] = result.content as { text: string }[]
          return { isError: result.isError ?? false, text: first?.text ?? '' }
        }
        const answer = {
          names: listed.tools.map(({ name }) => name),
          list: await text('process_list', {}),
          unknown: await text('process_kill', { id: 'nobody' }),
          killed: await text('process_kill', { id: command.id }),
          id: command.id,
        }
        await client.close()
        await owner.release()
        return answer
      },
      null,
      30_000,
    )
    expect(told.names).toEqual(['process_list', 'process_output', 'process_kill'])
    expect(JSON.parse(told.list.text)).toMatchObject({ processes: [{ id: told.id }] })
    expect(told.unknown).toMatchObject({ isError: true, text: expect.stringContaining('process_list') })
    expect(JSON.parse(told.killed.text)).toMatchObject({ id: told.id, outcome: 'empty' })
  })

  it('Anthropic SDK: tools of the tool runner, called by a reply of the model', async () => {
    const told = await host().evaluate(
      async ({ procleash }) => {
        const { Anthropic } = await extras.load<typeof import('@anthropic-ai/sdk')>('@anthropic-ai/sdk')
        const { betaTool } = await extras.load<typeof import('@anthropic-ai/sdk/helpers/beta/json-schema')>(
          '@anthropic-ai/sdk/helpers/beta/json-schema',
        )
        const owner = procleash.createOwner('anthropic')
        const command = await owner.spawn('sleep', ['60'], { kind: 'bash' })

        const tools = Object.values(extras.processTools(owner)).map(
          ({ name, description, inputSchema, execute }) =>
            betaTool({
              name,
              description,
              inputSchema,
              run: async (input) => JSON.stringify(await execute(input as never)),
            }),
        )

        // The model: says what it would say, and keeps what it was sent.
        const sent: { tools?: { name: string; input_schema: { type: string } }[]; messages: unknown[] }[] = []
        const use = (name: string, input: object) => [{ type: 'tool_use', id: `toolu_${name}`, name, input }]
        const replies = [
          { stop_reason: 'tool_use', content: use('process_list', {}) },
          { stop_reason: 'tool_use', content: use('process_kill', { id: 'nobody' }) },
          { stop_reason: 'tool_use', content: use('process_kill', { id: command.id }) },
          { stop_reason: 'end_turn', content: [{ type: 'text', text: 'stopped' }] },
        ]
        const fetch = async (_: unknown, init?: { body?: unknown }) => {
          sent.push(JSON.parse(String(init?.body)))
          const reply = {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            model: 'test',
            stop_sequence: null,
          }
          const usage = { input_tokens: 1, output_tokens: 1 }
          return new Response(JSON.stringify({ ...reply, usage, ...replies[sent.length - 1] }), {
            headers: { 'content-type': 'application/json' },
          })
        }
        const client = new Anthropic({ apiKey: 'none', fetch: fetch as never, maxRetries: 0 })
        const last = await client.beta.messages.toolRunner({
          model: 'test',
          max_tokens: 100,
          messages: [{ role: 'user', content: 'stop the server' }],
          tools,
        })
        await owner.release()
        const results = sent.slice(1).map(({ messages }) => messages.at(-1) as { content: object[] })
        return {
          tools: sent[0]?.tools?.map(({ name, input_schema }) => `${name} ${input_schema.type}`),
          results: results.map(({ content }) => content[0]),
          text: last.content[0],
          id: command.id,
        }
      },
      null,
      30_000,
    )
    expect(told.tools).toEqual(['process_list object', 'process_output object', 'process_kill object'])
    const [list, unknown, killed] = told.results as { content: string; is_error?: boolean }[]
    expect(JSON.parse(list!.content)).toMatchObject({ processes: [{ id: told.id }] })
    expect(unknown).toMatchObject({ is_error: true, content: expect.stringContaining('process_list') })
    expect(JSON.parse(killed!.content)).toMatchObject({ id: told.id, outcome: 'empty' })
    expect(told.text).toMatchObject({ text: 'stopped' })
  })
})
