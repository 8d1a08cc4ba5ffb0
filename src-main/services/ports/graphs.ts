/** What published graphs need from outside: their versions, and which jobs ran which. */
import type { GraphVersion } from '../../contract/published.ts'

/** A version as stored. */
export type StoredGraph = GraphVersion & {
  readonly payload: string
  readonly document: string | undefined
  readonly workflowId: string | undefined
}

/** Published graphs by the id of their endpoint. Methods that write are called inside a Writer's work only. */
export type GraphStore = {
  readonly get: (endpointId: string, version: number) => StoredGraph | undefined
  /** Newest first. */
  readonly versions: (endpointId: string) => readonly number[]
  readonly insert: (endpointId: string, graph: StoredGraph) => void
  /** Says which graph a job runs. */
  readonly addJob: (seq: number, endpointId: string, version: number) => void
  /** Which graph a job runs; undefined: none. */
  readonly ofJob: (seq: number) => { readonly endpointId: string; readonly version: number } | undefined
  /** Jobs of a graph that wait, oldest first. */
  readonly waiting: (endpointId: string, limit: number, newest: number) => readonly number[]
  /** Jobs of a graph, newest first; `before` is the seq of one that was seen already. */
  readonly jobs: (endpointId: string, limit: number, before: number) => readonly number[]
}
