/**
 * A machine of the user's service that the preview's service reaches directly. Everything sent there is removed at the
 * end.
 */

import { CliError, usageError } from '../../../../app/cli/cli-error.ts'
import { createClient } from '../../../../app/cli/client.ts'
import { readAccountKey, readServiceFile } from '../../../../app/cli/find-service.ts'
import type { ServiceClient } from '../../../../app/client/service-client.ts'
import type { MachineCreate } from '../../../../contract/machines.ts'
import { leftoversText, stillRuns } from '../../../machines/rules/left-behind.ts'

const LOOK_MS = 200
// Time limits, ms. Source: ours, an ssh login may take 30 s; a swarm then starts a service on each node.
const REACH_MS = 40_000
const SWARM_REACH_MS = 180_000

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
  const { name } = await client.call('machineAdd', { body: machine })
  const limitMs = machine.swarm ? SWARM_REACH_MS : REACH_MS
  for (let waited = 0; !signal.aborted; waited += LOOK_MS) {
    const { facts, reason, test } = await client.call('machineGet', { path: { machine: name } })
    if (facts !== undefined) return
    const failed = test.steps.find(({ state }) => state === 'failed')?.found
    if (waited > limitMs)
      throw new CliError('MACHINE_UNUSABLE', { machine: name, why: reason ?? failed ?? 'It does not answer.' })
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
      () => leftoversText(left),
    )
  } catch (error) {
    return stillRuns(machine, (error as Error).message)
  }
}
