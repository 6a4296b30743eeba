// docs/benchmarks.md: text, charts and tables of one file of results.

import {
  abortTable,
  absentList,
  costTable,
  inspectTable,
  spawnTable,
  stopTable,
  table,
  widthTable,
} from './tables.mjs'
import { targetsOf } from './targets.mjs'

/** @typedef {import('./summary.mjs').Summary} Summary */
/** @typedef {import('../lib/results.mjs').Results} Results */

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {string} part
 * @property {string} text
 * @property {readonly string[]} charts Names of files.
 * @property {(summaries: readonly Summary[]) => string} rows
 */

/** @type {readonly Section[]} */
const sections = [
  {
    title: 'Teardown',
    part: 'teardown',
    text: `From the stop until the last process of the tree has ended. Shapes: \`flat\` (all children of the command),
\`chain\` (each the child of the one before), \`bushy\` (four children each), \`setsid\` (flat, every second one in a session
of its own), \`daemon\` (every second one double-forked away), \`deaf\` (\`setsid\`, and all ignore SIGTERM), \`storm\` (each
forks and exits all the time, every second one in a new session each time), \`stopped\` (all below the command
SIGSTOPped). "Said done": when the contender's own promise was settled. "Left": the most processes that one stop left
behind. "To floor": median of the ratios, pair by pair, to \`cgroup.kill\` in the same round. \`cgroup.kill\` is SIGKILL:
nobody can clean up.`,
    charts: ['teardown-size', 'teardown-shares', 'teardown-left'],
    rows: stopTable,
  },
  {
    title: 'Escalation',
    part: 'escalation',
    text: `The same, for 1,000 processes that ignore SIGTERM, many times over: procleash waits as long as the budget allows,
then sends SIGKILL in time for all to be gone when it is over.`,
    charts: [],
    rows: stopTable,
  },
  {
    title: 'Interrupt',
    part: 'interrupt',
    text: `From \`controller.abort()\` until the tree is gone. The event loop is \`idle\`, \`busy\` (a calculation of 5 ms every
10 ms), or \`blocked\` for 500 ms right after the abort. \`deaf\` trees need an escalation, and so a timer.`,
    charts: [],
    rows: abortTable,
  },
  {
    title: 'Host death',
    part: 'host-death',
    text: `From SIGKILL to the host until the tree is gone; what is left is counted 2 s later.`,
    charts: ['host-death-left'],
    rows: stopTable,
  },
  {
    title: 'Spawn',
    part: 'spawn',
    text: `"Call": how long the call blocks the event loop. "Main runs": from the call until \`main\` of the command. The host
has touched that much memory beside its own; no pipes.`,
    charts: ['spawn-memory'],
    rows: spawnTable,
  },
  {
    title: 'Spawns a second',
    part: 'spawn-rate',
    text: '`true`, each waited for. procleash waits until it knows that the whole tree is gone.',
    charts: [],
    rows: (summaries) => widthTable(summaries, { rate: 'a second' }),
  },
  {
    title: 'Streams',
    part: 'streams',
    text: '`head -c SIZE /dev/zero`, 512 MB in all. Memory: the most that the host had resident.',
    charts: ['streams'],
    rows: (summaries) => widthTable(summaries, { rate: 'GB/s', memory: 'host, MB' }),
  },
  {
    title: 'A line there and back',
    part: 'echo',
    text: 'To `cat` and back; with 50 commands, a line to each at once. Milliseconds.',
    charts: [],
    rows: (summaries) => widthTable(summaries, { trip: 'median trip', last: 'last is back' }),
  },
  {
    title: 'Cost',
    part: 'cost',
    text: 'With 50 commands that sleep.',
    charts: [],
    rows: costTable,
  },
  {
    title: 'Looking at a tree',
    part: 'inspect',
    text: 'A tree of 10 processes on a system with many. Milliseconds.',
    charts: ['inspect'],
    rows: inspectTable,
  },
]

/**
 * @param {Results} results
 * @param {readonly Summary[]} summaries
 * @param {{ readonly main: string, readonly charts: ReadonlySet<string> }} about Charts: names of those that were drawn.
 */
export function markdownOf(results, summaries, { main, charts }) {
  const runtimes = [...new Set(summaries.map(({ runtime }) => runtime))]
  return `${[
    '# Benchmarks',
    headText(results, main),
    '## What it must show',
    targetsText(results, summaries),
    ...sections.flatMap((section) => sectionText(section, summaries, { main, runtimes, charts })),
    '## Not measured',
    absentList(summaries) || 'Nothing was left out.',
    '## How it is measured',
    methodText(),
  ].join('\n\n')}\n`
}

/**
 * @param {Results} results
 * @param {string} main
 */
function headText({ began, mode, complete, environment }, main) {
  const { cpu, cores, memory, os, load, busy, cgroup2, transparentHugePages, versions } = environment
  const notes = [
    ...(busy ? [`other work was running (load ${load.toFixed(1)}): the figures are noisy`] : []),
    ...(complete ? [] : ['the run was broken off']),
    ...(mode === 'full' ? [] : ['a quick run, with few samples']),
  ]
  const list = Object.entries(versions)
    .filter(([, version]) => version !== '')
    .map(([name, version]) => `${name} ${version}`)
  return [
    'Made by `npm run bench` and `npm run bench:report`; do not edit. The same with filters, in one page without a network:',
    `[benchmarks.html](benchmarks.html). The first table of each part is of ${main}, as are the charts.`,
    '',
    `- ${began.slice(0, 10)}, ${cpu}, ${cores} cores, ${memory} GiB, ${os}, cgroup2 ${cgroup2 ? 'mounted' : 'not mounted'},`,
    `  transparent huge pages: ${transparentHugePages}.`,
    `- ${list.join(', ')}.`,
    ...(notes.length > 0 ? [`- **Mind: ${notes.join('; ')}.**`] : []),
  ].join('\n')
}

/**
 * @param {Results} results
 * @param {readonly Summary[]} summaries
 */
function targetsText(results, summaries) {
  const rows = targetsOf(results, summaries).map(({ title, figure, target, met }) => [
    title,
    figure,
    target,
    met ? 'yes' : '**no**',
  ])
  return rows.length === 0 ? 'None of it was measured.' : table(['what', 'measured', 'target', 'met'], rows)
}

/**
 * @param {Section} section
 * @param {readonly Summary[]} summaries
 * @param {{ readonly main: string, readonly runtimes: readonly string[], readonly charts: ReadonlySet<string> }} about
 */
function sectionText({ title, part, text, charts, rows }, summaries, { main, runtimes, charts: drawn }) {
  const own = summaries.filter((each) => each.part === part)
  if (own.length === 0) return []
  const ordered = [main, ...runtimes.filter((runtime) => runtime !== main)]
  const tables = ordered.flatMap((runtime) => {
    const here = own.filter((each) => each.runtime === runtime && each.count > 0)
    if (here.length === 0) return []
    if (runtime === main) return [rows(here)]
    return [`<details><summary>${runtime}</summary>`, rows(here), '</details>']
  })
  return [`## ${title}`, text, ...charts.filter((name) => drawn.has(name)).map(picture), ...tables]
}

/** @param {string} name */
function picture(name) {
  return [
    '<picture>',
    `  <source media="(prefers-color-scheme: dark)" srcset="benchmarks/${name}.dark.svg">`,
    `  <img alt="${name}" src="benchmarks/${name}.light.svg">`,
    '</picture>',
  ].join('\n')
}

function methodText() {
  return `- Contenders take turns, in an order that rotates: ours, theirs, ours, theirs. Each has a host process of its own.
- 30 samples a point, 100 where the median is below 50 ms, after one that does not count, as far as the time of the case
  goes ("n" says how many there are). Fewer where a contender has left something every time, or takes seconds.
- Ends are seen by a native program that holds a pidfd of every process, and a FIFO that all of them hold open: it hangs up
  when the last one ends, whoever that is by then. What is left is counted in \`/proc\` after the contender has said that
  it is done and had another 100 ms and 0.2 ms a process.
- Times are of CLOCK_MONOTONIC, from the call in the host to the end seen outside.
- Contenders with a time between SIGTERM and SIGKILL get 400 ms, to be done within 500.
- Of a time that never came to an end, "never" is said, and a share of 0 is counted.
- \`npm run bench -- --compare OLD.json\` measures again and fails if a ratio got worse than its noise.`
}
