import { describe, expect, it } from 'vitest'
import { RELEASE_STATES, type ReleaseState } from '../../../../src-main/contract/app.ts'
import { openDatabase } from '../../../../src-main/database/open-database.ts'
import { RELEASE_EVENTS, RELEASE_TRANSITIONS } from '../../../../src-main/features/apps/rules/release-transitions.ts'
import { createAppStore } from '../../../../src-main/features/apps/store/app-store.ts'
import type { NewRelease, Release } from '../../../../src-main/storage/storage.ts'

const MADE_AT = 10
const ACTIVE_AT = 20
const ENDED_AT = 30
const MOVED_AT = 40

function setup() {
  const db = openDatabase(':memory:')
  const store = createAppStore(db)
  store.createApp('shop', 1)
  const made = store.createEnvironment('shop', 'production', 2)
  if (made === undefined) throw new Error('there is no environment')
  const { id } = made
  const newRelease = (more: Partial<NewRelease> = {}): NewRelease => ({
    environmentId: id,
    fingerprint: 'f',
    artifact: 'a'.repeat(64),
    folder: null,
    manifest: '{}',
    runsOn: 'processes',
    rollbackOf: null,
    kind: 'deploy',
    git: null,
    ...more,
  })
  const create = (more: Partial<NewRelease> = {}): Release => {
    const release = store.createRelease(newRelease(more), MADE_AT)
    if (release === undefined) throw new Error('no release was made')
    return release
  }
  const createIn = (state: ReleaseState): Release => {
    const release = create()
    if (state === 'active' || state === 'superseded') store.moveRelease(release.id, 'activate', undefined, ACTIVE_AT)
    if (state === 'superseded') store.moveRelease(release.id, 'supersede', undefined, ENDED_AT)
    if (state === 'failed') store.moveRelease(release.id, 'fail', 'it broke', ENDED_AT)
    return store.release(release.environmentId, release.number) ?? release
  }
  return { db, store, id, newRelease, create, createIn }
}

describe('apps and environments', () => {
  it('are made once, and listed by name', () => {
    const { store } = setup()
    expect([store.createApp('shop', 9), store.createApp('blog', 5)]).toEqual([false, true])
    expect(store.createEnvironment('shop', 'production', 9)).toBeUndefined()
    store.createEnvironment('shop', 'beta', 6)
    store.createEnvironment('blog', 'production', 7)
    expect(store.apps()).toEqual([
      { name: 'blog', createdAt: 5 },
      { name: 'shop', createdAt: 1 },
    ])
    expect(store.environments('shop').map(({ name }) => name)).toEqual(['beta', 'production'])
    expect(store.environments().map(({ app, name }) => `${app}/${name}`)).toEqual([
      'blog/production',
      'shop/beta',
      'shop/production',
    ])
    expect([store.app('shop'), store.app('none')]).toEqual([{ name: 'shop', createdAt: 1 }, undefined])
  })

  it('have no variables at first, and then the version that was set', () => {
    const { store, id } = setup()
    const environment = { id, app: 'shop', name: 'production', variables: 0, machine: null, createdAt: 2 }
    expect(store.environment('shop', 'production')).toEqual(environment)
    store.setVariables({ id, version: 3 })
    expect(store.environment('shop', 'production')).toEqual({ ...environment, variables: 3 })
    expect(store.environment('shop', 'none')).toBeUndefined()
  })

  it('run on this machine at first, and then where it was said', () => {
    const { store, id } = setup()
    store.setMachine({ id, machine: 'gpu-box' })
    expect(store.environment('shop', 'production')?.machine).toBe('gpu-box')
    store.setMachine({ id, machine: null })
    expect(store.environment('shop', 'production')?.machine).toBeNull()
  })

  it('that are removed take along what belongs to them, and nothing else', () => {
    const { store, id, create, newRelease } = setup()
    create()
    const beta = store.createEnvironment('shop', 'beta', 3)?.id ?? 0
    store.createRelease(newRelease({ environmentId: beta, artifact: 'b'.repeat(64) }), 4)
    store.removeEnvironment(id)
    expect(store.environment('shop', 'production')).toBeUndefined()
    expect(store.preparing().map(({ environmentId }) => environmentId)).toEqual([beta])
    store.removeApp('shop')
    expect([store.apps(), store.environments(), store.preparing()]).toEqual([[], [], []])
  })

  it('that are made again get another id, so that they find nothing of the one before', () => {
    const { store, id } = setup()
    store.removeEnvironment(id)
    expect(store.createEnvironment('shop', 'production', 3)?.id).toBeGreaterThan(id)
  })

  it('need their app', () => {
    const { store } = setup()
    expect(() => store.createEnvironment('none', 'production', 3)).toThrow('FOREIGN KEY')
  })
})

describe('a new release', () => {
  it('is being prepared, and has the next number of its environment', () => {
    const { store, id, create, createIn } = setup()
    expect(create({ rollbackOf: 7 })).toEqual({
      kind: 'deploy',
      git: null,
      id: 1,
      environmentId: id,
      number: 1,
      state: 'preparing',
      fingerprint: 'f',
      artifact: 'a'.repeat(64),
      folder: null,
      manifest: '{}',
      runsOn: 'processes',
      rollbackOf: 7,
      reason: null,
      createdAt: MADE_AT,
      activatedAt: null,
      endedAt: null,
    })
    store.moveRelease(1, 'fail', 'it broke', ENDED_AT)
    expect([createIn('failed').number, create().number]).toEqual([2, 3])
    const beta = store.createEnvironment('shop', 'beta', 3)?.id ?? 0
    expect(create({ environmentId: beta }).number).toBe(1)
  })

  it('is refused while another one of its environment is being prepared', () => {
    const { store, create, newRelease } = setup()
    const first = create()
    expect(store.createRelease(newRelease(), MADE_AT)).toBeUndefined()
    store.moveRelease(first.id, 'activate', undefined, ACTIVE_AT)
    expect(create().number).toBe(2)
  })

  it.each([
    ['both', { folder: '/somewhere' }],
    ['neither', { artifact: null }],
  ])('has an artifact or a folder, not %s', (_what, more) => {
    const { store, newRelease } = setup()
    expect(() => store.createRelease(newRelease(more), MADE_AT)).toThrow('CHECK')
  })
})

describe('a move of a release', () => {
  for (const state of RELEASE_STATES) {
    for (const event of RELEASE_EVENTS) {
      const { from, to } = RELEASE_TRANSITIONS[event]
      const isAllowed = (from as readonly ReleaseState[]).includes(state)
      it(`${event} of one that is ${state} ${isAllowed ? `makes it ${to}` : 'changes nothing'}`, () => {
        const { store, id, createIn } = setup()
        const before = createIn(state)
        const after = store.moveRelease(before.id, event, 'because', MOVED_AT)
        const expected = {
          ...before,
          state: to,
          reason: 'because',
          activatedAt: to === 'active' ? MOVED_AT : before.activatedAt,
          endedAt: to === 'active' ? null : MOVED_AT,
        }
        expect(after).toEqual(isAllowed ? expected : undefined)
        expect(store.release(id, before.number)).toEqual(isAllowed ? expected : before)
      })
    }
  }

  it('without a reason keeps the one that is there', () => {
    const { store, createIn } = setup()
    const { id } = createIn('preparing')
    store.moveRelease(id, 'activate', 'at once', ACTIVE_AT)
    expect(store.moveRelease(id, 'supersede', undefined, ENDED_AT)?.reason).toBe('at once')
  })

  it('never makes a second one active', () => {
    const { store, id, createIn, create } = setup()
    const first = createIn('active')
    const second = create()
    expect(() => store.moveRelease(second.id, 'activate', undefined, MOVED_AT)).toThrow('UNIQUE')
    store.moveRelease(first.id, 'supersede', undefined, MOVED_AT)
    store.moveRelease(second.id, 'activate', undefined, MOVED_AT)
    expect(store.releaseIn(id, 'active')?.number).toBe(2)
  })
})

describe('the table of releases', () => {
  it.each([
    ['an unknown state', `state = 'paused'`],
    ['an active one that was never activated', `state = 'active'`],
    ['one that is being prepared and has ended', 'ended_at = 5'],
    ['a failed one without an end', `state = 'failed'`],
    ['an unknown place to run on', `runs_on = 'clouds'`],
  ])('takes no row that has %s', (_what, change) => {
    const { db, create } = setup()
    create()
    expect(() => db.exec(`UPDATE releases SET ${change}`)).toThrow('CHECK')
  })
})

describe('releases', () => {
  it('are found by state, by number, and newest first', () => {
    const { store, id, createIn, create } = setup()
    expect([store.releaseIn(id, 'active'), store.releaseIn(id, 'preparing')]).toEqual([undefined, undefined])
    createIn('superseded')
    createIn('active')
    create()
    expect(store.releaseIn(id, 'active')?.number).toBe(2)
    expect(store.releaseIn(id, 'preparing')?.number).toBe(3)
    expect(store.releases(id, 2).map(({ number }) => number)).toEqual([3, 2])
    expect([store.release(id, 1)?.state, store.release(id, 4)]).toEqual(['superseded', undefined])
    expect(store.preparing().map(({ number }) => number)).toEqual([3])
  })

  it('that have ended go when newer ones are enough; the active one stays, however old', () => {
    const { store, id, createIn, create } = setup()
    createIn('failed')
    createIn('active')
    createIn('failed')
    createIn('failed')
    create()
    const left = () => store.releases(id, 9).map(({ number }) => number)
    store.trimReleases({ environmentId: id, keep: 5 })
    expect(left()).toEqual([5, 4, 3, 2, 1])
    store.trimReleases({ environmentId: id, keep: 2 })
    expect(left()).toEqual([5, 4, 2])
    store.trimReleases({ environmentId: id + 1, keep: 0 })
    expect(left()).toEqual([5, 4, 2])
  })

  it('name their artifacts, each once', () => {
    const { store, create, createIn } = setup()
    createIn('failed')
    createIn('failed')
    const folder = create({ artifact: null, folder: '/somewhere' })
    store.moveRelease(folder.id, 'fail', 'it broke', ENDED_AT)
    create({ artifact: 'b'.repeat(64) })
    expect(store.artifacts()).toEqual(new Set(['a'.repeat(64), 'b'.repeat(64)]))
  })
})
