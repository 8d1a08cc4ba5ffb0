import { describe, expect, test } from 'vitest'
import { createFetchFile } from '../../../../src-main/features/models/adapters/fetch-file.ts'
import { sendToTarget } from '../../../../src-main/features/targets/adapters/target-requests.ts'
import { createEngine } from '../../../../src-main/runtimes/docker/engine.ts'
import { silent } from '../../../conformance/process-place.ts'
import { createFakeClock } from '../../../support/fake-clock.ts'
import { answerWith, HOSTILE_HEADS } from '../../../support/hostile-heads.ts'

const { signal } = new AbortController()
const fetchFile = createFetchFile(() => false)

/** Readers by the server that answers. @returns what was understood, or why nothing was */
const READERS = {
  'a host of models': async (host: string) => {
    const url = `http://${host}/model`
    const authorization = () => undefined
    const fetched = await fetchFile({ url, from: 0, validator: undefined, authorization, allowPrivate: true, signal })
    return fetched.kind === 'fault' ? fetched.why : fetched.kind
  },
  'a target': async (host: string) => {
    const url = `http://${host}/v1/apps`
    const { status } = await sendToTarget({ url, method: 'GET', headers: {}, trustedHost: host, signal })
    return `HTTP ${status}`
  },
  // Registries are asked by the engine, which answers for them.
  'a Docker engine': async (host: string) => {
    const { wall: now, monotonic: steady, after } = createFakeClock()
    const place = {
      addresses: () => [{ host: `tcp://${host}`, source: 'test' }],
      whyNoEngine: ([why]: readonly string[]) => why ?? '',
      isOnLinux: true,
    }
    const engine = createEngine({ clock: { now, steady, after }, log: silent, place, label: 'a=b' })
    await engine.findEngine().finally(engine.close)
    return 'connected'
  },
} as const

describe.each(Object.entries(READERS))('%s that answers', (_server, read) => {
  test.each(Object.entries(HOSTILE_HEADS))('%s is understood, or the error names the cause', async (_kind, bytes) => {
    const port = await answerWith(bytes)
    const answer = await read(`127.0.0.1:${port}`).catch(({ message }: Error) => message)
    expect(answer).toMatch(/^file$|HTTP (code )?(200|99|101)|Parse Error: \w+|the connection was lost$/)
  })
})
