import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'

const PROGRAM = join(import.meta.dirname, 'programs', 'throw-behind-requests.ts')

async function setup() {
  const child = spawn(process.execPath, [PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const next = async () => JSON.parse((await lines.next()).value ?? '')
  const { port } = await next()
  const ask = (path: string) => fetch(`http://127.0.0.1:${port}${path}`)
  return { child, next, ask }
}

test.each(['at-once', 'in-a-timer', 'in-a-promise'])(
  'an unhandled error returns 500, is logged with its request id, and leaves the service running (%s)',
  async (kind) => {
    const { ask, next } = await setup()
    const response = await ask(`/${kind}?key=secret`)
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('see r1 in its log')
    expect(await next()).toEqual({
      message: 'unhandled error',
      why: kind.replaceAll('-', ' '),
      requestId: 'r1',
      method: 'GET',
      path: `/${kind}`,
    })
    expect(await (await ask('/fine')).text()).toBe('fine')
  },
)

test('an error that may mean a damaged database stops the service', async () => {
  const { ask, child } = await setup()
  const ended = once(child, 'exit')
  await ask('/in-the-database').catch(() => undefined)
  expect((await ended)[1]).toBe('SIGKILL')
})
