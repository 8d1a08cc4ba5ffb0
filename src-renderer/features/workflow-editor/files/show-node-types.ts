import type { Tab } from '../store/editor-context.ts'
import type { NodeTypesCache } from './node-types-cache.ts'

/** Where classes are read, and who hears that they cannot be. */
export type NodeTypesPorts = {
  readonly types: Pick<NodeTypesCache, 'read'>
  readonly tell: (kind: 'done' | 'error', text: string) => void
}

/** Shows in a tab the classes of its endpoint, once they are read; a tab that has gone to another one meanwhile keeps its own. */
export function showNodeTypes({ editor, runs }: Pick<Tab, 'editor' | 'runs'>, { types, tell }: NodeTypesPorts): void {
  const { endpointId } = runs.getState()
  types.read(endpointId).then(
    (read) => runs.getState().endpointId === endpointId && editor.getState().setTypes(read),
    (error: Error) => tell('error', `The classes of nodes of ${endpointId} cannot be read: ${error.message}`),
  )
}
