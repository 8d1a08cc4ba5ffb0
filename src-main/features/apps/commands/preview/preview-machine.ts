/**
 * A machine of the user's service that the preview's service reaches directly. Everything sent there is removed at the
 * end.
 */

import { CliError, usageError } from '../../../../app/cli/cli-error.ts'
import { createClient } from '../../../../app/cli/client.ts'
import { readAccountKey, readServiceFile } from '../../../../app/cli/find-service.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { MachineCreate } from '../../../../contract/machines.ts'
import { leftForGoodText, stillRuns } from '../../../machines/rules/left-behind.ts'

// ms between checks and time limit. Source: ours, an ssh login may take 30 s.
const LOOK_MS = 200
const REACH_MS = 40_000

/**
 * @param data the user's data folder
 * @throws CliError USAGE if no service runs, SERVICE_REFUSED for an unknown name
 */
export async function findMachine(data: string, name: string): Promise<MachineCreate> {
  const client = await clientOfUser(data)
  if (client === undefined)
    throw usageError(`--on ${name} is a machine of your service, which is not running. Start it with drydock start.`)
  const { way, swarm } = await client.call('machineGet', { path: { machine: name } })
  return { name, way, swarm }
}

async function clientOfUser(data: string): Promise<ServiceClient | undefined> {
  const running = await readServiceFile(data)
  return running && createClient({ url: running.url, key: (await readAccountKey(data)) ?? '' })
}

/**
 * Waits until the machine is usable.
 * @throws CliError MACHINE_UNUSABLE
 */
export async function useMachine(
  client: ServiceClient,
  machine: MachineCreate,
  { pause, signal }: { readonly pause: (ms: number) => Promise<void>; readonly signal: AbortSignal },
): Promise<void> {
  await client.call('machineAdd', { body: machine })
  for (let waited = 0; !signal.aborted; waited += LOOK_MS) {
    const { facts, reason = 'It does not answer.' } = await client.call('machineGet', {
      path: { machine: machine.name },
    })
    if (facts !== undefined) return
    if (waited > REACH_MS) throw new CliError('MACHINE_UNUSABLE', { machine: machine.name, why: reason })
    await pause(LOOK_MS)
  }
}

/**
 * Stops everything there and removes what was sent; the user's service removes leftovers later. Never rejects.
 * @returns a text on what is left
 */
export async function leaveMachine(client: ServiceClient, machine: string, data: string): Promise<string | undefined> {
  const path = { machine }
  try {
    const { left } = await client.call('machineRemove', { path })
    if (left === undefined) return undefined
    const service = await clientOfUser(data)
    const note = service?.call('machineRemains', { path, body: { id: left.id } }) ?? Promise.reject()
    return await note.then(
      () => `${stillRuns(machine, left.why)} Your service removes them when it reaches ${machine}.`,
      () => leftForGoodText(left),
    )
  } catch (error) {
    return stillRuns(machine, (error as Error).message)
  }
}
