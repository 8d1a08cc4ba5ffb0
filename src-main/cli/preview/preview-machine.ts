/**
 * The machine that runs the workers of a preview: one of the user's own service, which the service of the preview
 * reaches by itself. At the end it is cleared of all that the preview has sent there.
 */
import type { ServiceClient } from '../../client/service-client.ts'
import type { MachineCreate } from '../../contract/machines.ts'
import { leftForGoodText, stillRuns } from '../../domain/machines/left-behind.ts'
import { CliError, usageError } from '../cli-error.ts'
import { createClient } from '../client.ts'
import { readAccountKey, readServiceFile } from '../find-service.ts'

// How often it is looked whether the machine is reached, and how long that may take, ms; source: ours, a login by ssh
// may take 30 s.
const LOOK_MS = 200
const REACH_MS = 40_000

/**
 * Finds the machine by its name, where the user's service runs.
 * @param data the user's data folder
 * @throws CliError USAGE where no service runs, SERVICE_REFUSED for a name that it does not know
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

/** Lets the service of a preview use it, and waits until it does. @throws CliError MACHINE_UNUSABLE where it cannot */
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
    if (facts !== undefined) return // read when it takes workers
    if (waited > REACH_MS) throw new CliError('MACHINE_UNUSABLE', { machine: machine.name, why: reason })
    await pause(LOOK_MS)
  }
}

/**
 * Ends all that runs there, and removes what was sent. The user's service removes later what stays. Never rejects.
 * @param data the user's data folder
 * @returns what stays, for a person
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
