import { expect, test } from 'vitest'
import type { ImageBuildEvent } from '../../../../src-main/contract/worker-images.ts'
import { createBuildProgress } from '../../../../src-main/features/worker-images/rules/build-progress.ts'

const STEPS = ['base', 'python', 'nodes rain'].map((id) => ({
  id,
  title: `${id} 1.0`,
  instruction: `RUN --mount=type=tmpfs,target=/tmp \\\n    ${id}`,
}))
const LOCK = { python: [{ name: 'Sox_Py', version: '1', sha256: [], wantedBy: ['rain', 'clouds'] }] }

type Step = Extract<ImageBuildEvent, { kind: 'step' }>
const step = (id: string, state: Step['state'], tookMs?: number): ImageBuildEvent => ({
  kind: 'step',
  id: `sha256:${id}`,
  name: `[2/4] RUN --mount=type=tmpfs,target=/tmp     ${id}`,
  state,
  tookMs,
})
const output = (id: string, text: string): ImageBuildEvent => ({ kind: 'output', id: `sha256:${id}`, text })

test('the time left is that of earlier builds, less what has passed, and says when it is not known', () => {
  const earlier = { python: 60_000, 'python 1.0': 100_000, 'nodes rain': 20_000 }
  const progress = createBuildProgress(STEPS, earlier)
  expect(progress.timeLeft(0)).toBeUndefined()
  expect(progress.take(step('base', 'cached'), 0)?.text).toBe('step 1 of 3, base 1.0: CACHED')
  expect(progress.take(step('python', 'started'), 1000)?.text).toBe('step 2 of 3, python 1.0 (about 2 min left)')
  expect(progress.timeLeft(51_000)).toEqual({ ms: 70_000, unknownSteps: 0 })
  expect(progress.timeLeft(500_000)).toEqual({ ms: 20_000, unknownSteps: 0 })

  const first = createBuildProgress(STEPS, {})
  expect(first.take(step('python', 'started'), 0)?.text).toBe(
    'step 2 of 3, python 1.0 (time left unknown: first build)',
  )
  const partly = createBuildProgress(STEPS, { python: 5000 })
  expect(partly.take(step('python', 'started'), 0)?.text).toBe('step 2 of 3, python 1.0 (more than 5.0 s left)')
})

test('a step that prints without end keeps its last lines', () => {
  const progress = createBuildProgress(STEPS, {})
  progress.take(step('python', 'started'), 0)
  const text = `${'x'.repeat(100)}\n`.repeat(200_000)
  progress.take(output('python', text), 0)
  for (let at = 0; at < 20; at++) progress.take(output('python', text.replaceAll('\n', '')), 0)
  progress.take(output('python', '\nthe end\n'), 0)
  expect(progress.failure(LOCK, 'exit code: 1')?.lastLines.at(-1)).toBe('the end')
})

test('steps that ran are new, and their times are kept for the next build', () => {
  const progress = createBuildProgress(STEPS, {})
  for (const event of [step('base', 'cached'), step('python', 'started'), step('python', 'done', 1234.5)])
    progress.take(event, 0)
  expect(progress.built().slice(0, 2)).toEqual([
    { title: 'base 1.0', state: 'cached', tookMs: 0 },
    { title: 'python 1.0', state: 'new', tookMs: 1234.5 },
  ])
  expect(progress.times()).toEqual({ python: 1235, 'python 1.0': 1235 })
})

const FAILURES = {
  'a version that is not there': 'ERROR: No matching distribution found for sox-py==1\n',
  'a wheel that cannot be compiled':
    '  Building wheel for other (setup.py)\n  ERROR: Failed building wheel for sox-py\n',
  'another file than in the lock':
    'ERROR: THESE PACKAGES DO NOT MATCH THE HASHES\n    sox-py==1 from https://example.com:\n',
  'a download that ends': 'Collecting six\nCollecting sox-py==1\nReadTimeoutError\n',
}

test.each(Object.entries(FAILURES))('a failure names the package: %s', (_why, text) => {
  const progress = createBuildProgress(STEPS, {})
  for (const event of [step('python', 'started'), output('python', text), step('python', 'failed')])
    progress.take(event, 0)
  expect(progress.failure(LOCK, 'executor failed running [...]: exit code: 1')).toMatchObject({
    number: 2,
    of: 3,
    title: 'python 1.0',
    package: 'sox-py',
    wantedBy: ['rain', 'clouds'],
    exitCode: 1,
  })
})

test('a failure shows the last lines of its step alone, and each in one row', () => {
  const progress = createBuildProgress(STEPS, {})
  progress.take(step('python', 'started'), 0)
  progress.take(output('python', 'of another step\n'), 0)
  progress.take(step('python', 'done', 1), 0)
  progress.take(step('nodes rain', 'started'), 0)
  for (let line = 1; line <= 100; line++) progress.take(output('nodes rain', `line ${line}\r\n\n`), 0)
  progress.take(output('nodes rain', `WARNING: Running pip as root\n${'x'.repeat(10_000)}`), 0)
  progress.take(step('nodes rain', 'failed'), 0)
  const failed = progress.failure(LOCK, 'no code')
  expect(failed).toMatchObject({ title: 'nodes rain 1.0', package: undefined, exitCode: undefined })
  expect(failed?.lastLines.slice(0, -1)).toEqual([94, 95, 96, 97, 98, 99, 100].map((line) => `line ${line}`))
  expect(failed?.lastLines.at(-1)).toHaveLength(160)
})

test('a base image that cannot be pulled is a failure of the first step', () => {
  const progress = createBuildProgress(STEPS, {})
  const name = '[internal] load metadata for docker.io/library/none:1'
  progress.take({ kind: 'step', id: 'a', name, state: 'failed', tookMs: 1 }, 0)
  expect(progress.failure(LOCK, 'none:1: not found')?.title).toBe('base 1.0')
})
