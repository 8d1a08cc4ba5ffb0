import { expect, test } from 'vitest'
import {
  type ImageConflict,
  LOCK_SCHEMA,
  type WorkflowLock,
  workflowLock,
} from '../../src-main/contract/worker-images.ts'
import type { ImagePipeline } from '../../src-main/features/worker-images/ports/image-pipeline.ts'
import { writeLock } from '../../src-main/features/worker-images/rules/lock-file.ts'
import { setup as setupService } from '../support/core.ts'
import { readEvents } from '../support/read-events.ts'

const LOCK = workflowLock.parse({
  schema: LOCK_SCHEMA,
  comfyui: { repository: 'https://github.com/comfyanonymous/ComfyUI', commit: 'a'.repeat(40) },
  base: { image: 'python:3.12-slim-bookworm', python: '3.12' },
})
const TEXT = writeLock(LOCK)
const IMAGE = { reference: 'cat:1', id: 'sha256:1', sizeBytes: 1024, built: ['ComfyUI'], reused: 3 }
const CONFLICT = {
  code: 'class_unknown' as const,
  blocks: true,
  message: 'No package is known for Ink.',
  choices: [],
} satisfies ImageConflict

async function setup(change: Partial<ImagePipeline> = {}) {
  const asked: unknown[] = []
  const imagePipeline: ImagePipeline = {
    async lock(request) {
      asked.push(request)
      return { lock: LOCK, text: TEXT, conflicts: [] }
    },
    build: async () => IMAGE,
    test: async () => [{ name: 'starts', passed: true }],
    ...change,
  }
  const service = await setupService({ imagePipeline })
  const { id } = await service.post('/api/workflows', { name: 'cat', text: '{"nodes":[],"links":[]}' })
  const path = `/api/workflows/${id}/image`
  return {
    ...service,
    asked,
    path,
    start: (body: object) => service.post(path, { text: '{}', ...body }),
    async ended() {
      const events = await readEvents(await service.request('GET', `${path}?follow=true`)).rest()
      return JSON.parse(events.at(-1)?.data ?? '')
    },
  }
}

test('a workflow is locked, built and tested, and its lock stays for the next one', async () => {
  const { start, ended, get, path, asked } = await setup()
  expect(await get(path)).toMatchObject({ state: 'none', steps: [] })
  await start({ tag: 'cat:1' })
  expect(await ended()).toMatchObject({
    state: 'done',
    steps: [{ step: 'lock' }, { step: 'build' }, { step: 'test' }].map((one) => ({ ...one, state: 'done' })),
    image: IMAGE,
    checks: [{ name: 'starts', passed: true }],
    lockText: TEXT,
  })
  await start({ until: 'lock' })
  expect(asked).toMatchObject([{ text: '{}' }, { text: '{}', previous: TEXT }])
})

test('values of variables and folders of this machine are for those who may change and own them', async () => {
  const lock = { ...LOCK, environment: { TOKEN: 'hush' } }
  const { start, ended, post, ask, request, path } = await setup({
    lock: async () => ({ lock, text: writeLock(lock), conflicts: [] }),
  })
  await start({ until: 'lock', sources: { ink: './ink' } })
  await ended()
  const keyOf = async (role: string) => (await post('/api/keys', { name: role, role })).key
  const [read, deploy] = [await keyOf('read'), await keyOf('deploy')]
  const shown = (await ask('GET', path, { key: read })).body
  expect(shown).toMatchObject({ state: 'done', lock: { environment: { TOKEN: '(hidden)' } } })
  expect(shown).not.toHaveProperty('lockText')
  const events = await (await request('GET', `${path}?follow=true`, { key: read })).text()
  expect(events).toContain('(hidden)')
  expect(events).not.toContain('hush')
  expect((await ask('GET', path, { key: deploy })).body).toMatchObject({ lock, lockText: writeLock(lock) })

  const lockFrom = (sources: object) => ask('POST', path, { key: deploy, body: { text: '{}', until: 'lock', sources } })
  for (const source of ['./ink', '/etc', '/srv/ink@main', 'file:///srv/ink'])
    expect(await lockFrom({ ink: source })).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
  const addresses = { ComfyUI: '0.3.40', ink: 'https://code.example/ink@v1', pen: 'registry:pen@1.2.0' }
  expect(await lockFrom(addresses)).toMatchObject({ status: 200 })
})

test('a conflict that blocks ends it before the build', async () => {
  const { start, ended } = await setup({
    lock: async () => ({ lock: undefined, text: undefined, conflicts: [CONFLICT] }),
  })
  await start({ tag: 'cat:1' })
  expect(await ended()).toMatchObject({
    state: 'failed',
    problem: 'Solve 1 conflict first.',
    conflicts: [CONFLICT],
    steps: [{ state: 'done' }, { state: 'waiting' }, { state: 'waiting' }],
  })
})

test('a failed check fails the image, and says why', async () => {
  const { start, ended } = await setup({
    test: async () => [{ name: 'loads all classes', passed: false, why: 'no Ink' }],
  })
  await start({ tag: 'cat:1' })
  expect(await ended()).toMatchObject({ state: 'failed', problem: 'loads all classes: no Ink', image: IMAGE })
})

test('a build is cancelled, and the lock stays', async () => {
  const { promise: building, resolve } = Promise.withResolvers<void>()
  const { start, post, get, path } = await setup({
    build: (_request, { signal }) =>
      new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason))
        resolve()
      }),
  })
  await start({ tag: 'cat:1' })
  await building
  expect(await post(`${path}/cancel`)).toMatchObject({ state: 'cancelled' })
  expect(await get(path)).toMatchObject({ state: 'cancelled', lockText: TEXT })
})

test('a build without a name is refused', async () => {
  const { ask, path } = await setup()
  expect(await ask('POST', path, { body: { text: '{}' } })).toMatchObject({ status: 400, body: { code: 'BAD_FIELD' } })
})

test('a stored lock that this version cannot read is replaced', async () => {
  const locks = [{ ...LOCK, schema: 'drydock-workflow-lock/0' } as unknown as WorkflowLock, LOCK, LOCK]
  const previous: unknown[] = []
  const { start, ended } = await setup({
    async lock(request) {
      previous.push(request.previous)
      return { lock: locks[previous.length - 1] ?? LOCK, text: TEXT, conflicts: [] }
    },
  })
  for (const _lock of locks) {
    await start({ until: 'lock' })
    expect(await ended()).toMatchObject({ state: 'done' })
  }
  expect(previous).toEqual([undefined, undefined, TEXT])
})
