/** The public clients, unmodified, on the sample endpoint of a service. */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import runpodSdk from 'runpod-sdk'
import type { TestContext } from 'vitest'
import { PATIENCE_MS } from '../support/patience.ts'
import type { PublicPython } from './support-python.ts'
import { HELLO_HANDLER, startService } from './support-service.ts'

const script = (name: string) => fileURLToPath(new URL(`python/${name}`, import.meta.url))

/** Runs a script with the public client against the sample endpoint, and returns the JSON that it printed. */
export async function runPythonClient(
  context: TestContext,
  { python }: PublicPython,
  name: string,
  facts: Readonly<Record<string, unknown>>,
) {
  const { baseUrl, key, folder, createEndpoint } = await startService(context)
  const { id } = await createEndpoint({ id: 'hello', handler: HELLO_HANDLER, workersMax: 1 })
  const argument = JSON.stringify({ baseUrl, key, endpointId: id, ...facts })
  // The package reads platform keys in HOME.
  const env = { ...process.env, HOME: folder, PYTHONDONTWRITEBYTECODE: '1' }
  const { stdout } = await promisify(execFile)(python, [script(name), argument], { env })
  return JSON.parse(stdout) as unknown
}

type Payload = Parameters<NonNullable<ReturnType<ReturnType<typeof runpodSdk>['endpoint']>>['run']>[0]

/** The public client on the sample endpoint, with our base address and longer timeouts. */
export async function startJavaScriptClient(context: TestContext, config: Readonly<Record<string, unknown>> = {}) {
  const service = await startService(context)
  const { id } = await service.createEndpoint({ id: 'hello', handler: HELLO_HANDLER, ...config })
  const endpoint = runpodSdk(service.key, { baseUrl: service.baseUrl }).endpoint(id)
  if (endpoint === null) throw new Error('the client made no endpoint')
  const patient = {
    run: (request: Payload) => endpoint.run(request, PATIENCE_MS),
    runSync: (request: Payload, timeoutMs?: number) => endpoint.runSync(request, timeoutMs),
    status: (jobId: string) => endpoint.status(jobId, PATIENCE_MS),
    statusSync: (jobId: string) => endpoint.statusSync(jobId),
    stream: (jobId: string) => endpoint.stream(jobId),
    cancel: (jobId: string) => endpoint.cancel(jobId, PATIENCE_MS),
    health: () => endpoint.health(PATIENCE_MS),
    purgeQueue: () => endpoint.purgeQueue(PATIENCE_MS),
  }
  return { service, endpoint: patient }
}
