import type { WorkflowServer } from '../../contract/workflows.ts'
import type { LookForServer } from '../ports/workflows.ts'

/** Looks at all of these addresses at once. @returns the ComfyUI servers among them, in the order of the addresses */
export async function findServers(
  look: LookForServer,
  addresses: readonly string[],
  signal: AbortSignal,
): Promise<readonly WorkflowServer[]> {
  const found = await Promise.all(addresses.map((address) => look(address, signal)))
  return found.filter((server) => server !== undefined)
}
