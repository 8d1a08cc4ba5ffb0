import { AppError } from '../../contract/errors.ts'
import type { Blueprint } from '../../contract/workflows.ts'
import { MIB } from '../../lib/units.ts'
import type { Endpoint } from '../../storage/storage.ts'
import type { WorkflowPorts } from './ports.ts'
import { blueprintsIn, blueprintText } from './rules/blueprints.ts'
import { withoutCredentials } from './rules/server-address.ts'

// Source: ours; the largest subgraph seen has 100 KB.
const MOST_BYTES = 4 * MIB

export function createBlueprints(readServer: WorkflowPorts['readServer'], stopping: AbortSignal) {
  /** @throws AppError SERVER_UNREACHABLE */
  async function ask<Read>(server: string, path: string, read: (text: string) => Read): Promise<Read | undefined> {
    try {
      const text = await readServer(server, path, { most: MOST_BYTES, signal: stopping })
      return text === undefined ? undefined : read(text)
    } catch (cause) {
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new AppError('SERVER_UNREACHABLE', { server: withoutCredentials(server), why }, { cause })
    }
  }

  return {
    /** Empty if the endpoint has no server, or one that does not know blueprints. */
    async list({ config }: Endpoint): Promise<readonly Blueprint[]> {
      const { server } = config.workflows ?? {}
      return (server && (await ask(server, 'global_subgraphs', blueprintsIn))) || []
    },
    /** @throws AppError BLUEPRINT_NOT_FOUND */
    async read({ config }: Endpoint, id: string): Promise<string> {
      const { server } = config.workflows ?? {}
      const text = server && (await ask(server, `global_subgraphs/${encodeURIComponent(id)}`, blueprintText))
      if (text === undefined) throw new AppError('BLUEPRINT_NOT_FOUND', { blueprint: id })
      return text
    },
  }
}
