import type { DeployedEndpoint } from '../../contract/app.ts'
import { logLine } from '../../contract/management.ts'
import { CliError } from '../cli-error.ts'
import type { ServiceClient } from '../client.ts'
import { followToEnd } from '../follow-events.ts'
import type { TellPreview } from './preview-event.ts'

// Every worker of the release before says so at each save.
const LEAVING = /^(draining|this worker is to be replaced): no further jobs are taken$/
// What the first workers wrote before it was known where to look; source: ours, more than a start writes.
const FIRST_LINES = 200

/**
 * Tells what the workers of endpoints write, until the signal is aborted.
 * @returns how to name the endpoints of now; those that are followed already go on
 */
export function followLogs(
  client: ServiceClient,
  tell: TellPreview,
  signal: AbortSignal,
): (endpoints: readonly DeployedEndpoint[]) => void {
  const followed = new Set<string>()

  async function follow({ id, resource }: DeployedEndpoint): Promise<void> {
    const lines = followToEnd(client, 'endpointLogs', (after) => ({
      path: { endpointId: id },
      query: { follow: 'true', ...(after === undefined ? { tail: FIRST_LINES } : { after }) },
      signal,
    }))
    try {
      for await (const { event, data } of lines) {
        if (event !== 'line') continue
        const line = logLine.parse(JSON.parse(data))
        if (!LEAVING.test(line.line)) tell({ event: 'log', endpoint: resource, line })
      }
    } catch (error) {
      if (signal.aborted) return
      // The endpoint left the app.
      if (error instanceof CliError && error.body.code === 'ENDPOINT_NOT_FOUND') return
      tell({ event: 'warning', message: `The output of ${resource} is no longer shown: ${(error as Error).message}` })
    } finally {
      followed.delete(id)
    }
  }

  return (endpoints) => {
    for (const endpoint of endpoints) {
      if (followed.has(endpoint.id)) continue
      followed.add(endpoint.id)
      void follow(endpoint)
    }
  }
}
