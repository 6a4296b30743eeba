// The example of docs/events.md, as a module: test/events/opentelemetry.test.ts runs it.

import diagnosticsChannel from 'node:diagnostics_channel'
import { SpanStatusCode, trace } from '@opentelemetry/api'

/** One span for each tree, from its spawn to its settlement. Returns the way to leave. */
export function traceProcesses(tracer = trace.getTracer('procleash')) {
  const spans = new Map()
  const listeners = {
    'procleash:spawn'({ id, pid, owner, kind, label, file, startedAt }) {
      const span = tracer.startSpan(`process ${label ?? file}`, { startTime: startedAt })
      span.setAttributes({
        'process.pid': pid,
        'process.executable.name': file,
        'procleash.tree.id': id,
        'procleash.owner': owner.join('/'),
        'procleash.kind': kind ?? '',
      })
      spans.set(id, span)
    },
    'procleash:stop'({ id, reason, message, time }) {
      spans
        .get(id)
        ?.addEvent('stop', { 'procleash.reason': reason, 'procleash.message': message ?? '' }, time)
    },
    'procleash:escalate'({ id, time }) {
      spans.get(id)?.addEvent('escalate', {}, time)
    },
    'procleash:exit'({ id, code, signal, time }) {
      spans
        .get(id)
        ?.addEvent('exit', { 'process.exit.code': code ?? -1, 'process.exit.signal': signal ?? '' }, time)
    },
    'procleash:settle'({ id, settlement, time }) {
      const span = spans.get(id)
      spans.delete(id)
      span?.setAttributes({
        'procleash.outcome': settlement.outcome,
        'procleash.reason': settlement.reason,
        'procleash.processes': settlement.endedCount,
      })
      const message = `${settlement.survivors.length} survivors`
      if (settlement.outcome !== 'empty') span?.setStatus({ code: SpanStatusCode.ERROR, message })
      span?.end(time)
    },
  }
  for (const [name, listen] of Object.entries(listeners)) diagnosticsChannel.subscribe(name, listen)
  return () => {
    for (const [name, listen] of Object.entries(listeners)) diagnosticsChannel.unsubscribe(name, listen)
  }
}
