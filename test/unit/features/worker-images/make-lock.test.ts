import { expect, test } from 'vitest'
import { LOCK_SCHEMA, workflowLock } from '../../../../src-main/contract/worker-images.ts'
import { makeLock, updateLock } from '../../../../src-main/features/worker-images/make-lock.ts'
import type { LockPorts, PythonWish } from '../../../../src-main/features/worker-images/ports.ts'

const LOCK = workflowLock.parse({
  schema: LOCK_SCHEMA,
  comfyui: { repository: 'https://code.example/ComfyUI', commit: 'a'.repeat(40), requirements: ['numpy'] },
  base: { image: 'python:3.12', python: '3.12' },
  accept: ['source:setuplib', 'licence:cc-by-nc'],
})

const unused = () => {
  throw new Error('nothing is read')
}

test.each([
  [false, []],
  [true, ['setuplib']],
])('a lock alone runs no set-up program: with --run-setup %s it runs %o', async (runsSetUp, sources) => {
  const wishes: PythonWish[] = []
  const ports: LockPorts = {
    git: { commitOf: unused, read: unused, readFolder: unused },
    registry: { find: unused },
    pathOf: (source) => source,
    findModel: async () => undefined,
    readInput: async () => undefined,
    choose: undefined,
    async resolvePython(wish) {
      wishes.push(wish)
      return { packages: [], warnings: [] }
    },
    runsSetUp,
    ofWorker: ['runpod'],
  }
  const request = {
    ...{ given: [], previous: LOCK, served: new Map(), environments: [], index: new Map() },
    ...{ base: {}, environment: {}, addresses: new Map() },
  }
  await makeLock(ports, request, { report: () => undefined, signal: new AbortController().signal })
  expect(wishes).toMatchObject([{ sources, requirements: [{ from: 'ComfyUI' }, { from: 'the worker' }] }])
})

test('several packages are updated with one look at Python packages', async () => {
  const wishes: PythonWish[] = []
  const facts = { classes: [], requirements: ['pillow'] }
  const ports: LockPorts = {
    git: { commitOf: async () => 'b'.repeat(40), read: async () => facts, readFolder: unused },
    registry: { find: unused },
    pathOf: (source) => source,
    findModel: async () => undefined,
    readInput: async () => undefined,
    choose: undefined,
    async resolvePython(wish) {
      wishes.push(wish)
      return { packages: [], warnings: [] }
    },
    runsSetUp: false,
    ofWorker: [],
  }
  const nodes = ['ink', 'pen', 'old'].map((name) => ({
    name,
    ...{
      source: { repository: `https://code.example/${name}`, commit: 'a'.repeat(40) },
      classes: [],
      requirements: [],
    },
  }))
  const updates = ['ink', 'Pen', 'ComfyUI'].map((name) => ({ name, ref: undefined }))
  const watch = { report: () => undefined, signal: new AbortController().signal }
  const { lock } = await updateLock(ports, { ...LOCK, nodes }, updates, watch)
  const commits = [lock?.comfyui, ...(lock?.nodes ?? []).map(({ source }) => source)]
  expect(commits).toMatchObject(['b', 'b', 'b', 'a'].map((letter) => ({ commit: letter.repeat(40) })))
  expect(wishes.map(({ requirements }) => requirements)).toEqual([
    ['ComfyUI', 'ink', 'pen'].map((from) => ({ from, text: 'pillow' })),
  ])
})
