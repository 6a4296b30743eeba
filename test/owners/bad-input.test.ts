// Bad input to owners, kinds and leases: a typed error each, nothing started, nothing stopped, and the trees stay
// owned. Of logs: see log.test.ts.

import { expect, it } from 'vitest'
import type { Subprocess } from '../../src/types.js'
import { useOwnerHost } from '../support/owners.js'
import { identify, isAlive } from '../support/proc.js'
import { forEachRuntime } from '../support/runtimes.js'

const RELEASED = 'OwnerReleasedError ERR_PROCLEASH_OWNER_RELEASED'
const UNKNOWN = 'UnknownTreeError ERR_PROCLEASH_UNKNOWN_TREE'
const TYPE = 'InvalidOptionError ERR_INVALID_ARG_TYPE'
const VALUE = 'InvalidOptionError ERR_INVALID_ARG_VALUE'
const RANGE = 'InvalidOptionError ERR_OUT_OF_RANGE'

forEachRuntime((runtime) => {
  const host = useOwnerHost(runtime)

  it('is refused with a typed error, and changes nothing', async () => {
    const told = await host().evaluate(async ({ procleash }) => {
      const owner = procleash.createOwner('owner')
      const other = procleash.createOwner('other')
      extras.owners.untouched = owner
      const command = await owner.spawn('sleep', ['60'], { kind: 'bash' })
      const foreign = await other.spawn('sleep', ['60'])
      const gone = procleash.createOwner('gone')
      await gone.release()
      // What callers without types can do.
      const wrong = <Type>(value: unknown) => value as Type
      const lease = new procleash.IoLease()
      const read = await procleash.spawn('cat', [], { stdin: 'pipe' })
      const reader = read.stdout!.getReader()

      const calls: Record<string, () => unknown> = {
        'released: spawn': () => gone.spawn('true'),
        'released: run': () => gone.run('true'),
        'released: child': () => gone.child('x'),
        'released: list': () => gone.list(),
        'released: stop': () => gone.stop(),
        'released: spawn with option': () => procleash.spawn('true', [], { owner: gone }),
        'unknown tree': () => owner.get('nobody'),
        "another owner's tree": () => owner.get(foreign.id),
        'id not a string': () => owner.get(wrong(7)),
        'empty id': () => owner.get(''),
        'kind of the wrong type: spawn': () => owner.spawn('true', [], { kind: wrong(7) }),
        'kind of the wrong type: list': () => owner.list({ kind: wrong(7) }),
        'kind of the wrong type: stop': () => owner.stop({ kind: wrong(['bash']) }),
        'empty kind': () => owner.stop({ kind: '' }),
        'kind null': () => owner.stop({ kind: wrong(null) }),
        'recursive of the wrong type': () => owner.stop({ recursive: wrong('no') }),
        'stop options no object': () => owner.stop(wrong('bash')),
        'negative stop budget': () => owner.stop({ budget: -1 }),
        'stop reason no string': () => owner.stop({ reason: wrong(1) }),
        'negative release budget': () => owner.release({ budget: -1 }),
        'NaN release budget': () => owner.release({ budget: Number.NaN }),
        'release options no object': () => owner.release(wrong(500)),
        'release reason no string': () => owner.release({ reason: wrong({}) }),
        'owner id no string': () => procleash.createOwner(wrong(7)),
        'empty owner id': () => procleash.createOwner(''),
        'owner id taken': () => procleash.createOwner('owner'),
        'owner budget': () => procleash.createOwner('new', { budget: Number.POSITIVE_INFINITY }),
        'owner options': () => procleash.createOwner('new', wrong([])),
        'kinds no object': () => procleash.createOwner('new', { kinds: wrong('bash') }),
        'kind without a word': () => procleash.createOwner('new', { kinds: { bash: wrong({}) } }),
        'kind true': () => procleash.createOwner('new', { kinds: { bash: wrong(true) } }),
        'owner no owner': () => procleash.spawn('true', [], { owner: wrong('owner') }),
        'owner a copy': () => procleash.spawn('true', [], { owner: { ...owner } }),
        'owner of another spawn': () => owner.spawn('true', [], { owner: other }),
        'transfer of nothing': () => procleash.transfer(wrong({ id: command.id }), owner),
        'transfer to nobody': () => procleash.transfer(command, wrong(null)),
        'transfer to a released owner': () => procleash.transfer(command, gone),
        'lease budget': () => new procleash.IoLease({ budget: -1 }),
        'lease options': () => new procleash.IoLease(wrong(5)),
        'lease covers no command': () => lease.covers(wrong({})),
        'lease covers a promise of none': () => lease.covers(Promise.resolve(wrong<Subprocess>({}))),
        'lease covers a stream in use': () => lease.covers(read),
      }
      const codes: Record<string, string> = {}
      for (const [name, call] of Object.entries(calls)) codes[name] = await extras.codeOf(call)
      reader.releaseLock()
      await read.stop()
      await other.release()
      // Nothing that was refused has left an owner behind.
      await procleash.createOwner('new').release()
      return { codes, pid: command.pid, listed: (await owner.list()).map(({ id }) => id === command.id) }
    }, null)

    expect(told.codes).toEqual({
      'released: spawn': RELEASED,
      'released: run': RELEASED,
      'released: child': RELEASED,
      'released: list': RELEASED,
      'released: stop': RELEASED,
      'released: spawn with option': RELEASED,
      'unknown tree': UNKNOWN,
      "another owner's tree": UNKNOWN,
      'id not a string': TYPE,
      'empty id': VALUE,
      'kind of the wrong type: spawn': TYPE,
      'kind of the wrong type: list': TYPE,
      'kind of the wrong type: stop': TYPE,
      'empty kind': VALUE,
      'kind null': TYPE,
      'recursive of the wrong type': TYPE,
      'stop options no object': TYPE,
      'negative stop budget': RANGE,
      'stop reason no string': TYPE,
      'negative release budget': RANGE,
      'NaN release budget': RANGE,
      'release options no object': TYPE,
      'release reason no string': TYPE,
      'owner id no string': TYPE,
      'empty owner id': VALUE,
      'owner id taken': 'OwnerExistsError ERR_PROCLEASH_OWNER_EXISTS',
      'owner budget': RANGE,
      'owner options': TYPE,
      'kinds no object': TYPE,
      'kind without a word': TYPE,
      'kind true': TYPE,
      'owner no owner': TYPE,
      'owner a copy': TYPE,
      'owner of another spawn': VALUE,
      'transfer of nothing': TYPE,
      'transfer to nobody': TYPE,
      'transfer to a released owner': RELEASED,
      'lease budget': RANGE,
      'lease options': TYPE,
      'lease covers no command': TYPE,
      'lease covers a promise of none': TYPE,
      'lease covers a stream in use': VALUE,
    })
    expect(told.listed).toEqual([true])
    const id = identify(told.pid)
    expect(isAlive(id)).toBe(true)
    await host().evaluate(() => extras.owners.untouched!.release(), null)
    expect(isAlive(id)).toBe(false)
  })

  it('names the owner, and says what to do', async () => {
    const messages = await host().evaluate(async ({ procleash }) => {
      const told: string[] = []
      const tell = async (call: () => unknown) => {
        try {
          await call()
        } catch (error) {
          told.push((error as Error).message)
        }
      }
      const owner = procleash.createOwner('named')
      owner.child('turn')
      await tell(() => owner.child('turn'))
      await owner.release()
      await tell(() => owner.spawn('true'))
      return told
    }, null)
    expect(messages).toEqual([
      'There is an owner named > turn already. Use that one, release it first, or choose another id',
      'Owner named was released. Create a new owner for new work, or give it to one that lives longer',
    ])
  })
})
