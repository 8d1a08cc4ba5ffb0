import type { InputHints } from '../../contract/saved-requests.ts'
import { parseExact } from '../../domain/json/exact-json.ts'
import { inputHints } from '../../domain/requests/input-hints.ts'
import { graphInputHints } from '../../domain/workflow/publish/graph-input-hints.ts'
import { exampleInput } from '../apps/views.ts'
import type { Endpoint, Storage } from '../ports.ts'

// Source: ours. What nobody sent in the last ten is no habit.
const JOBS = 10
// A larger one, a picture in it say, is no beginning to write from.
const EXAMPLE_LENGTH = 64 * 1024

/**
 * Reads what the newest inputs of an endpoint look like; large ones, and those that are gone, are left out. A published
 * graph says itself which inputs it takes, and an endpoint of an app has arguments to begin with.
 */
export async function readInputHints(
  { jobs, graphs, apps }: Pick<Storage, 'jobs' | 'graphs' | 'apps'>,
  endpoint: Endpoint,
): Promise<InputHints> {
  const { id: endpointId, config } = endpoint
  const graph = config.graph && graphs.get(endpointId, config.graph.version)
  if (graph !== undefined) return withShortExample(graphInputHints(graph.parameters))
  const newest = jobs.list({ endpointId, limit: JOBS })
  const read = await Promise.all(newest.map((job) => jobs.readInput(job).catch(() => undefined)))
  // A large payload is a file, and comes as bytes.
  const texts = read.flatMap((found) => (typeof found?.input === 'string' ? found.input : []))
  return withShortExample({
    fields: inputHints(texts.map(parseExact)),
    example: newest.length > 0 ? texts[0] : writeExample(exampleInput({ apps }, endpoint)),
  })
}

const writeExample = (input: object | undefined) => (input === undefined ? undefined : JSON.stringify(input))

function withShortExample({ fields, example }: InputHints): InputHints {
  return { fields, ...(example !== undefined && example.length <= EXAMPLE_LENGTH ? { example } : {}) }
}
