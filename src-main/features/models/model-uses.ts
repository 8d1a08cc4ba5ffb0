import type { ModelUse } from '../../contract/models.ts'
import type { Clock } from '../../lib/clock.ts'
import { wait } from '../../lib/wait.ts'
import type { Storage } from '../../storage/storage.ts'
import type { ReadsGraphs } from '../workflows/ports/readers.ts'

const RUNS = 200
const WORKFLOWS = 10_000
// Texts between two pauses, so that large libraries block nobody.
const TEXTS_A_TURN = 20

type Source = ModelUse & { readonly version: string; readonly text: () => string | undefined }

export function createModelUses({
  storage,
  clock,
  readInThread,
}: ReadsGraphs & {
  readonly storage: Pick<Storage, 'workflows' | 'runs' | 'graphs' | 'endpoints'>
  readonly clock: Clock
}): () => Promise<Record<string, ModelUse[]>> {
  let known = new Map<string, readonly string[]>()

  function* sources(): Generator<Source> {
    for (const { id, name: title, version, draft, updatedAt: at } of storage.workflows.list(WORKFLOWS))
      yield { kind: 'workflow', id, title, at, version: `${version}.${draft}`, text: () => storage.workflows.text(id) }
    for (const { id, config, updatedAt: at } of storage.endpoints.all()) {
      const { graph, name: title } = config
      if (graph === undefined) continue
      const text = () => storage.graphs.get(id, graph.version)?.payload
      yield { kind: 'graph', id, title, at, version: String(graph.version), text }
    }
    const all = { workflowId: undefined, endpointId: undefined, sweepId: undefined, text: undefined, before: undefined }
    for (const { id, title, createdAt: at } of storage.runs.list({ ...all, limit: RUNS }))
      yield { kind: 'run', id, title, at, version: '', text: () => storage.runs.texts(id)?.payload }
  }

  async function namesIn(text: string | undefined): Promise<readonly string[]> {
    const names = text === undefined ? [] : await readInThread.modelNames(text)
    return 'problem' in names ? [] : names
  }

  return async () => {
    const uses: Record<string, ModelUse[]> = Object.create(null)
    const next = new Map<string, readonly string[]>()
    let read = 0
    for (const { kind, id, title, at, version, text } of [...sources()]) {
      const key = `${kind} ${id} ${version}`
      let names = known.get(key)
      if (names === undefined) {
        read += 1
        if (read % TEXTS_A_TURN === 0) await wait(clock, { ms: 0, signal: undefined, listen: () => () => undefined })
        names = await namesIn(text())
      }
      next.set(key, names)
      for (const name of names) {
        const others = uses[name]
        if (others === undefined) uses[name] = [{ kind, id, title, at }]
        else others.push({ kind, id, title, at })
      }
    }
    known = next
    return uses
  }
}
