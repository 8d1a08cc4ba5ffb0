import { expect, it } from 'vitest'
import { OVERTAKE_MS } from '../../../../src-main/features/workers/rules/choose-job.ts'
import { type GroupMember, turnOf, whyTurnWaits } from '../../../../src-main/features/workers/rules/exclusive-group.ts'

const member = (id: string, facts: Partial<GroupMember> = {}): GroupMember => ({
  ...{ id, running: 0, waitsSince: undefined, isLoaded: false, isLast: false },
  ...facts,
})

it('an endpoint takes jobs once the others of its group are idle and have unloaded their models', () => {
  const own = member('own', { waitsSince: 1000 })
  expect(turnOf(own, []).kind).toBe('own')
  expect(turnOf(own, [member('other', { running: 2, isLoaded: true })]).kind).toBe('running')
  expect(turnOf(own, [member('other', { isLoaded: true })]).kind).toBe('loaded')
  expect(turnOf(own, [member('other')]).kind).toBe('own')
  expect(turnOf({ ...own, running: 1 }, [member('other')]).kind).toBe('own')
})

it('the last endpoint continues until the next job of another is a minute older than its own', () => {
  const last = (waitsSince: number) => member('last', { waitsSince, isLast: true })
  const other = member('other', { waitsSince: 1000 })
  for (const [waitsSince, first] of [
    [1000 + OVERTAKE_MS - 1, 'last'],
    [1000 + OVERTAKE_MS + 1, 'other'],
  ] as const) {
    expect(turnOf(last(waitsSince), [other]).kind).toBe(first === 'last' ? 'own' : 'later')
    expect(turnOf(other, [last(waitsSince)]).kind).toBe(first === 'other' ? 'own' : 'later')
  }
})

it('says which endpoint has the card, what it does there, and why it may still have models loaded', () => {
  const own = member('own', { waitsSince: 1000 })
  const textOf = (other: GroupMember, problem?: string) => whyTurnWaits(turnOf(own, [other]), 'card', problem)?.text
  expect(textOf(member('flux'))).toBeUndefined()
  expect(textOf(member('flux', { running: 1 }))).toBe(
    'flux runs 1 job and shares a GPU with this endpoint (exclusive group card).',
  )
  expect(textOf(member('flux', { waitsSince: 500 }))).toBe(
    'The next job of flux goes first: it shares a GPU with this endpoint (exclusive group card).',
  )
  expect(textOf(member('flux', { isLoaded: true }))).toBe(
    'flux unloads its models first, because it shares a GPU with this endpoint (exclusive group card).',
  )
  expect(textOf(member('flux', { isLoaded: true }), 'host:8188 answered free with HTTP 500')).toBe(
    'flux shares a GPU with this endpoint (exclusive group card), and may still have models loaded: host:8188 answered free with HTTP 500. Drydock asks it again every few seconds.',
  )
})
