import { basename } from 'node:path'
import { LOOPBACK, portOfService } from '../../lib/own-addresses.ts'
import { previewFolders } from '../headless/data-folder.ts'
import { CliError } from './cli-error.ts'
import { createClient } from './client.ts'
import { readServiceFile } from './find-service.ts'

const ANSWER_MS = 2000

/**
 * Names the service that uses the port, or the app of a preview of this data folder.
 * @returns undefined if no service is known to use it
 */
export async function portOwner(
  data: string,
  port: number,
  signal: AbortSignal = AbortSignal.timeout(ANSWER_MS),
): Promise<string | undefined> {
  for (const folder of [data, ...(await previewFolders(data))]) {
    const service = await readServiceFile(folder)
    if (service === undefined || portOfService(service.url) !== port) continue
    return folder === data
      ? `the Drydock service of ${data}`
      : `a preview of ${basename(folder).replace(/-[^-]*$/, '')}`
  }
  return (await isService(port, signal)) ? 'another Drydock service' : undefined
}

async function isService(port: number, signal: AbortSignal): Promise<boolean> {
  const client = createClient({ url: `http://${LOOPBACK}:${port}`, key: '' })
  const refusal = await client.call('endpointList', { signal }).catch((error: unknown) => error)
  return refusal instanceof CliError && refusal.body.code === 'UNAUTHORIZED'
}
