import { expect, test } from 'vitest'
import { BUILD_STEPS } from '../../../../src-main/contract/build.ts'
import { buildView } from '../../../../src-main/contract/projects.ts'
import { buildBegun, buildStopped, buildWith } from '../../../../src-main/features/apps/rules/project-progress.ts'

const stateOf = ({ steps }: ReturnType<typeof buildBegun>) => steps.map(({ state }) => state)

test('a build tells its steps in order, with the newest line of each', () => {
  let view = buildBegun(5)
  expect(view).toMatchObject({ state: 'running', startedAt: 5 })
  expect(view.steps.map(({ step }) => step)).toEqual(BUILD_STEPS)
  view = buildWith(view, { kind: 'started', step: 'scan' })
  view = buildWith(view, { kind: 'progress', step: 'scan', text: 'one' })
  view = buildWith(view, { kind: 'progress', step: 'scan', text: 'two' })
  expect(view.steps[0]).toEqual({ step: 'scan', state: 'running', text: 'two' })
  view = buildWith(view, { kind: 'ended', step: 'scan', tookMs: 7, summary: '1 endpoint' })
  expect(view.steps[0]).toEqual({ step: 'scan', state: 'done', tookMs: 7, text: '1 endpoint' })
  expect(buildView.parse(view)).toEqual(view)
})

test('the step that was under way fails with the build, and waits again where it was cancelled', () => {
  const done = buildWith(buildBegun(5), { kind: 'ended', step: 'scan', tookMs: 7, summary: '' })
  const view = buildWith(done, { kind: 'started', step: 'handlers' })
  const problems = [{ code: 'HANDLER_MISSING', message: 'x' }]
  const failed = buildStopped(view, { state: 'failed', endedAt: 9, problems })
  expect(failed).toMatchObject({ state: 'failed', endedAt: 9, problems })
  expect(stateOf(failed).slice(0, 3)).toEqual(['done', 'failed', 'waiting'])
  const cancelled = buildStopped(view, { state: 'cancelled', endedAt: 9, problems: [] })
  expect(stateOf(cancelled).slice(0, 3)).toEqual(['done', 'waiting', 'waiting'])
})
