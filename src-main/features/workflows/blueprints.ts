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
  const ask = (server: string, path: string) => readServer(server, path, { most: MOST_BYTES, signal: stopping })

  return {
    /** Empty if the endpoint has no server, or one that does not know blueprints. */
    async list({ config }: Endpoint): Promise<{ blueprints: Blueprint[]; fault?: string }> {
      const { server } = config.workflows ?? {}
      try {
        const text = server && (await ask(server, 'global_subgraphs'))
        return { blueprints: blueprintsIn(text ?? '') }
      } catch (error) {
        return { blueprints: [], fault: whyOf(error) }
      }
    },
    /** @throws AppError SERVER_UNREACHABLE, BLUEPRINT_NOT_FOUND */
    async read({ config }: Endpoint, id: string): Promise<string> {
      const { server = '' } = config.workflows ?? {}
      const unreachable = (cause: unknown) => {
        throw new AppError('SERVER_UNREACHABLE', { server: withoutCredentials(server), why: whyOf(cause) }, { cause })
      }
      const given = server && (await ask(server, `global_subgraphs/${encodeURIComponent(id)}`).catch(unreachable))
      const text = blueprintText(given ?? '')
      if (text === undefined) throw new AppError('BLUEPRINT_NOT_FOUND', { blueprint: id })
      return text
    },
  }
}

const whyOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
