// How contenders look in every chart: the same colour and mark everywhere, in light and in dark.

/** @typedef {'light' | 'dark'} Mode */
/** @typedef {{ readonly name: string, readonly label: string, readonly light: string, readonly dark: string, readonly symbol: string, readonly dashed?: boolean }} Look */

/** @type {readonly Look[]} The order of legends and tables. */
export const looks = [
  { name: 'procleash', label: 'procleash', light: '#1d4ed8', dark: '#60a5fa', symbol: 'circle' },
  {
    name: 'procleash-cgroup',
    label: 'procleash, cgroup',
    light: '#0891b2',
    dark: '#22d3ee',
    symbol: 'diamond',
  },
  {
    name: 'procleash-stoptree',
    label: 'procleash, stopTree',
    light: '#7c3aed',
    dark: '#a78bfa',
    symbol: 'rect',
  },
  {
    name: 'procleash-byob',
    label: 'procleash, BYOB reader',
    light: '#0891b2',
    dark: '#22d3ee',
    symbol: 'diamond',
  },
  {
    name: 'cgroup.kill',
    label: 'cgroup.kill (floor)',
    light: '#4b5563',
    dark: '#d1d5db',
    symbol: 'none',
    dashed: true,
  },
  {
    name: 'process.kill',
    label: 'process.kill(-pid)',
    light: '#b45309',
    dark: '#fbbf24',
    symbol: 'triangle',
  },
  { name: 'child.kill', label: 'child.kill()', light: '#dc2626', dark: '#f87171', symbol: 'emptyCircle' },
  { name: 'child_process', label: 'child_process', light: '#dc2626', dark: '#f87171', symbol: 'emptyCircle' },
  { name: 'tree-kill', label: 'tree-kill', light: '#15803d', dark: '#4ade80', symbol: 'roundRect' },
  { name: 'execa', label: 'execa', light: '#be185d', dark: '#f472b6', symbol: 'emptyRoundRect' },
  {
    name: 'execa-descendants',
    label: 'execa, killDescendants',
    light: '#9d174d',
    dark: '#fbcfe8',
    symbol: 'emptyTriangle',
  },
  { name: 'zx', label: 'zx', light: '#65a30d', dark: '#bef264', symbol: 'emptyDiamond' },
  { name: 'bun.spawn', label: 'Bun.spawn', light: '#92400e', dark: '#fdba74', symbol: 'emptyDiamond' },
  {
    name: 'bun-no-orphans',
    label: 'Bun.spawn, --no-orphans',
    light: '#78350f',
    dark: '#fed7aa',
    symbol: 'emptyRect',
  },
  { name: 'deno.command', label: 'Deno.Command', light: '#0f766e', dark: '#5eead4', symbol: 'emptyRect' },
  {
    name: 'procleash inspectTree()',
    label: 'procleash inspectTree()',
    light: '#7c3aed',
    dark: '#a78bfa',
    symbol: 'rect',
  },
  {
    name: 'procleash processes()',
    label: 'procleash processes()',
    light: '#1d4ed8',
    dark: '#60a5fa',
    symbol: 'circle',
  },
  {
    name: '/proc in JavaScript',
    label: '/proc in JavaScript',
    light: '#b45309',
    dark: '#fbbf24',
    symbol: 'triangle',
  },
  { name: 'ps -A', label: 'ps -A', light: '#15803d', dark: '#4ade80', symbol: 'roundRect' },
]

/** @type {Look} */
const unknown = { name: '', label: '', light: '#6b7280', dark: '#9ca3af', symbol: 'circle' }

/** @param {string} name */
export function lookOf(name) {
  return looks.find((look) => look.name === name) ?? { ...unknown, name, label: name }
}

/**
 * For `sort`.
 *
 * @param {{ readonly contender: string }} one
 * @param {{ readonly contender: string }} other
 */
export function byLook({ contender: one }, { contender: other }) {
  const place = (/** @type {string} */ name) => looks.findIndex((look) => look.name === name)
  return place(one) - place(other)
}

/** Of what is no contender. */
export const inks = {
  light: { text: '#1f2937', muted: '#6b7280', line: '#e5e7eb', paper: '#ffffff', limit: '#b91c1c' },
  dark: { text: '#e5e7eb', muted: '#9ca3af', line: '#30363d', paper: '#0d1117', limit: '#fca5a5' },
}
