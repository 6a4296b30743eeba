// The OpenTelemetry example of docs/events.md, run with the real SDK and an exporter that keeps its spans in memory.

import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { useOwnerHost, withPackages } from '../support/owners.js'
import { forEachRuntime } from '../support/runtimes.js'

const example = new URL('../hosts/opentelemetry.mjs', import.meta.url)

it('is what the page shows', () => {
  const page = readFileSync(new URL('../../docs/events.md', import.meta.url), 'utf8')
  const shown = readFileSync(example, 'utf8').split('\n').slice(2).join('\n').trim()
  expect(page).toContain(shown)
})

forEachRuntime((runtime) => {
  const host = useOwnerHost(withPackages(runtime))

  it('gives one span for each tree, with its owner and what happened to it', async () => {
    const spans = await host().evaluate(
      async ({ procleash }, path) => {
        const { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } = await extras.load<
          typeof import('@opentelemetry/sdk-trace-base')
        >('@opentelemetry/sdk-trace-base')
        const { traceProcesses } = await extras.load<{
          traceProcesses(
            tracer: ReturnType<InstanceType<typeof BasicTracerProvider>['getTracer']>,
          ): () => void
        }>(path)
        const exporter = new InMemorySpanExporter()
        const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
        const leave = traceProcesses(provider.getTracer('test'))

        const owner = procleash.createOwner('traced')
        const server = await owner.child('turn').spawn('sleep', ['60'], { kind: 'bash', label: 'server' })
        await procleash.run('sh', ['-c', 'exit 3'])
        await owner.release({ reason: 'over' })
        leave()
        await procleash.run('true')

        return {
          pid: server.pid,
          spans: exporter.getFinishedSpans().map(({ name, attributes, events, duration }) => ({
            name,
            attributes,
            events: events.map((event) => [event.name, event.attributes]),
            ms: duration[0] * 1000 + duration[1] / 1e6,
          })),
        }
      },
      example.href,
      30_000,
    )
    expect(spans.spans).toEqual([
      {
        name: 'process sh',
        attributes: expect.objectContaining({ 'procleash.owner': '', 'procleash.outcome': 'empty' }),
        events: [['exit', { 'process.exit.code': 3, 'process.exit.signal': '' }]],
        ms: expect.any(Number),
      },
      {
        name: 'process server',
        attributes: {
          'process.pid': spans.pid,
          'process.executable.name': 'sleep',
          'procleash.tree.id': expect.any(String),
          'procleash.owner': 'traced/turn',
          'procleash.kind': 'bash',
          'procleash.outcome': 'empty',
          'procleash.reason': 'owner-released',
          'procleash.processes': 1,
        },
        events: [
          ['stop', { 'procleash.reason': 'owner-released', 'procleash.message': 'over' }],
          ['exit', { 'process.exit.code': -1, 'process.exit.signal': 'SIGTERM' }],
        ],
        ms: expect.any(Number),
      },
    ])
    for (const { ms } of spans.spans) expect(ms).toBeGreaterThanOrEqual(0)
  })
})
