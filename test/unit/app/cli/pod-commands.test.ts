import { describe, expect, test } from 'vitest'
import type { Pod } from '../../../../src-main/contract/pods.ts'
import { POD_DEFAULTS, type PodRow, viewPod } from '../../../../src-main/features/pods/rules.ts'
import { NOW, setupCli } from './support.ts'

const ROW: PodRow = {
  ...{ id: 'p1', name: 'dev', wanted: 'RUNNING', reason: undefined, createdAt: NOW - 14_000 },
  settings: { ...POD_DEFAULTS, image: 'python:3.12-slim', ports: ['8888/http', '22/tcp'] },
}
const STATE = { isRunning: true, startedAt: NOW, ports: { '8888': 32_768, '22': 32_769 }, exit: undefined }
const VIEW = viewPod(ROW, { state: STATE, progress: undefined, away: undefined, now: 0 })

const setup = (...pods: readonly Pod[]) =>
  setupCli({
    'GET /v2/pods': { pods, pagination: { hasNextPage: false, nextCursor: null } },
    'POST /v2/pods': VIEW,
    'POST /v2/pods/p1/action': VIEW,
  })

describe('pod', () => {
  test('create sends the options', async () => {
    const { run, service } = await setup()
    const options = ['--port', '8888/http', '--env', 'A=b=c', '--command', "sh -c 'sleep 1'", '--gpu', 'ADA_24']
    expect(await run(['pod', 'create', 'dev', 'python:3.12-slim', ...options])).toMatchObject({
      exitCode: 0,
      stdout: 'pod dev is starting: p1\n',
    })
    expect(service.seen).toMatchObject([
      {
        body: {
          ...{ name: 'dev', image: 'python:3.12-slim', ports: ['8888/http'], env: { A: 'b=c' } },
          ...{ dockerStartCmd: ['sh', '-c', 'sleep 1'], gpuTypeIds: ['ADA_24'] },
        },
      },
    ])
  })

  test('list and show name the addresses', async () => {
    const { run } = await setup(VIEW)
    expect((await run(['pod', 'list'])).stdout).toContain('http://127.0.0.1:32768, 127.0.0.1:32769')
    expect((await run(['pod', 'show', 'dev'])).stdout).toContain('port 22/tcp: 127.0.0.1:32769')
  })

  test('finds a pod by name or id, and asks for the id where a name is not enough', async () => {
    const { run, service } = await setup(VIEW, { ...VIEW, id: 'p2' })
    expect(await run(['pod', 'stop', 'p1'])).toMatchObject({ exitCode: 0, stdout: 'pod dev stopped\n' })
    expect(service.seen.at(-1)).toMatchObject({ line: 'POST /v2/pods/p1/action', body: { action: 'stop' } })
    expect(await run(['pod', 'stop', 'dev'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('p1, p2') })
    expect(await run(['pod', 'stop', 'x'])).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('no pod x') })
  })
})
