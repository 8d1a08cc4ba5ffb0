import { spawnSync } from 'node:child_process'
import { hostname } from 'node:os'
import { expect, test } from 'vitest'
import { createClient } from '../../../../src-main/app/cli/client.ts'
import { onTestEndpoint } from '../../../../src-main/features/worker-images/commands/test-endpoint.ts'
import { HELLO_VIEW, startStandIn } from './support.ts'

test('a test deletes its endpoint, and those of killed tests of this machine', async () => {
  const { pid } = spawnSync(process.execPath, ['--version'])
  const named = (id: string, name: string) => ({ ...HELLO_VIEW, id, name })
  const { url, seen } = await startStandIn({
    'GET /api/endpoints': {
      endpoints: [
        named('killed', `test of cat:1 (${hostname()}, process ${pid})`),
        named('running', `tests of worker (${hostname()}, process ${process.ppid})`),
        named('elsewhere', `tests of worker (not-${hostname()}, process ${pid})`),
        named('own', 'cat'),
      ],
    },
    'POST /api/endpoints': { ...HELLO_VIEW, id: 'made', key: 'k' },
    'DELETE /api/endpoints/killed': { ok: true },
    'DELETE /api/endpoints/made': { ok: true },
  })
  const work = () => Promise.reject(new Error('the test failed'))
  await expect(onTestEndpoint(createClient({ url, key: 'k' }), { name: 'tests of worker' }, work)).rejects.toThrow()
  expect(seen.map(({ line }) => line)).toEqual([
    'GET /api/endpoints',
    'DELETE /api/endpoints/killed',
    'POST /api/endpoints',
    'DELETE /api/endpoints/made',
  ])
  expect(seen[2]?.body).toMatchObject({ name: `tests of worker (${hostname()}, process ${process.pid})` })
})
