/** Worker processes on the unmodified public SDK. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext } from 'vitest'
import { STAYS_MS } from '../support/patience.ts'
import type { PublicPython } from './support-python.ts'
import { startService, until } from './support-service.ts'

export const WORKER_ID = expect.stringMatching(/^[a-z0-9]{14}$/)
export const TIMES = { delayTime: expect.any(Number), executionTime: expect.any(Number) }

const HANDLERS = fileURLToPath(new URL('python/worker.py', import.meta.url))

/** Starts a service with one endpoint, whose worker runs a handler of python/worker.py on the public SDK. */
export async function startPublicWorker(
  context: Pick<TestContext, 'onTestFinished'>,
  { python }: PublicPython,
  kind: string,
  config: Readonly<Record<string, unknown>> = {},
) {
  const service = await startService(context)
  const { folder } = service
  await service.createEndpoint({
    id: 'sdk',
    command: `'${python}' '${HANDLERS}'`,
    workersMax: 1,
    idleTimeoutMs: STAYS_MS,
    // The package reads platform keys in HOME.
    env: { KIND: kind, HOME: folder, PYTHONDONTWRITEBYTECODE: '1' },
    ...config,
  })
  const release = join(folder, 'release')
  return {
    service,
    /** Input that lets a handler wait until the test releases it. */
    waits: { release },
    release: () => writeFileSync(release, ''),
    run: (input: unknown, more = {}) => service.submit('sdk', { input, ...more }),
    runSync: (input: unknown, more = {}) => service.runSync('sdk', { input, ...more }),
    ended: (jobId: string, status = 'COMPLETED') => service.waitForStatus('sdk', jobId, status),
    status: (jobId: string) => service.status('sdk', jobId),
    lineOf: (jobId: string, text: string) =>
      until(`job ${jobId} printed ${text}`, async () =>
        (await service.logsOfJob(jobId)).find(({ line }) => line.includes(text)),
      ),
  }
}
