// Who is compared, by the name that results and command lines use.

import { cgroupKill } from './cgroup.mjs'
import { childKill, processGroup } from './child-process.mjs'
import { execa, execaDescendants, tinyexec, treeKill, zx } from './packages.mjs'
import { byCgroup, byStopTree, keeper } from './procleash.mjs'
import { bunNoOrphans, bunSpawn, denoCommand } from './runtimes.mjs'

/** @type {Record<string, import('./types.mjs').Contender>} */
export const contenders = {
  procleash: keeper,
  'procleash-stoptree': byStopTree,
  'procleash-cgroup': byCgroup,
  'cgroup.kill': cgroupKill,
  'child.kill': childKill,
  'process.kill': processGroup,
  'tree-kill': treeKill,
  execa,
  'execa-descendants': execaDescendants,
  zx,
  tinyexec,
  'bun.spawn': bunSpawn,
  'bun-no-orphans': bunNoOrphans,
  'deno.command': denoCommand,
}
