import { expect, test } from 'vitest'
import { createOutput } from '../../../../../src-main/app/cli/output.ts'
import type { ReleaseStep } from '../../../../../src-main/contract/app.ts'
import { showReleaseSteps } from '../../../../../src-main/features/apps/commands/deploy/show-release.ts'
import { surroundingsOf } from '../support.ts'
import { step } from './support.ts'

function setup({ columns, json = false }: { columns?: number; json?: boolean } = {}) {
  const person = columns === undefined ? {} : { person: { columns } }
  const { surroundings, written } = surroundingsOf('/', { env: { NO_COLOR: '1' }, ...person })
  const shown = showReleaseSteps(createOutput(surroundings, json), surroundings)
  /** The output for these steps alone. */
  const tell = (...steps: readonly ReleaseStep[]) => {
    const before = written.stdout.length
    shown.report(steps)
    return written.stdout.slice(before)
  }
  return { tell, leave: shown.leave }
}

const STARTING = step({ state: 'starting' })

test('on a pipe each endpoint is a line, whenever it changes', () => {
  const { tell } = setup()
  const api = step({ resource: 'api', state: 'waiting' })
  expect(tell(STARTING, api)).toBe('· greet  starting\n· api    waiting\n')
  expect(tell(STARTING, api)).toBe('')
  expect(tell({ ...STARTING, note: 'pulling python:3.12' }, api)).toBe('· greet  starting   pulling python:3.12\n')
  expect(tell(step({ state: 'ready' }), { ...api, state: 'failed', note: 'no module\nmore' })).toBe(
    '✓ greet  ready\n✗ api    failed     no module\n',
  )
  // Its release is active now, which is said once and not of each endpoint.
  expect(tell(step({ state: 'done' }))).toBe('')
})

test('on a pipe the steps of an image that endpoints share are printed once', () => {
  const { tell } = setup()
  const both = (note: string) => tell(step({ resource: 'api', state: 'starting', note }), { ...STARTING, note })
  expect(both('pulling app:1, 10 of 90 MB')).toBe('· api    starting   pulling app:1, 10 of 90 MB\n· greet  starting\n')
  expect(both('pulling app:1, 20 of 90 MB')).toBe('')
  expect(both('unpacking app:1')).toBe('· api    starting   unpacking app:1\n')
  expect(tell(step({ resource: 'api', state: 'ready' }), { ...STARTING, note: 'unpacking app:1' })).toBe(
    '✓ api    ready\n',
  )
})

test('an unchanged endpoint, a deleted one and one that is kept say so', () => {
  const { tell } = setup()
  expect(tell(step({ action: 'unchanged' }))).toBe('= greet  unchanged\n')
  expect(tell(step({ action: 'delete' }))).toBe('- greet  deleted\n')
  expect(tell(step({ action: 'delete', note: 'kept, because the deletion was not confirmed' }))).toBe(
    '- greet  kept       kept, because the deletion was not confirmed\n',
  )
})

test('on a terminal the lines are redrawn in place, within its width', () => {
  const { tell } = setup({ columns: 30 })
  expect(tell(STARTING, step({ resource: 'api' }))).toBe('\x1b[2K· greet  starting\n\x1b[2K✓ api    ready\n')
  expect(tell({ ...STARTING, note: 'pulling a large image' }, step({ resource: 'api' }))).toBe(
    '\x1b[2A\x1b[2K· greet  starting   pulling a\n\x1b[2K✓ api    ready\n',
  )
})

test('lines written meanwhile stay, and the next ones follow below', () => {
  const { tell, leave } = setup({ columns: 80 })
  tell(STARTING)
  leave()
  expect(tell(STARTING)).toBe('\x1b[2K· greet  starting\n')
})

test('more lines than a screen has are not redrawn', () => {
  const { tell } = setup({ columns: 80 })
  const many = Array.from({ length: 21 }, (_each, at) => step({ resource: `e${at}`, state: 'starting' }))
  tell(...many)
  expect(tell(...many.slice(0, 20), step({ resource: 'e20', state: 'ready' }))).toBe('✓ e20  ready\n')
})

test('a service that was started again knows no steps, and machine output has no lines', () => {
  expect(setup().tell()).toBe('')
  expect(setup({ json: true, columns: 80 }).tell(STARTING)).toBe('')
})
