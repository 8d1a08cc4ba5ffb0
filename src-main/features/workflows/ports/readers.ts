import type { InThread, Problem } from '../../../lib/in-thread.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import type { ClassesAndModels } from '../rules/merge-classes.ts'
import type { FoundResult, FoundResults } from '../rules/runs/find-results.ts'
import type { OpenedGraph } from '../rules/runs/graph-export.ts'
import type { InstalledModels } from '../rules/runs/graph-models.ts'
import type { LibraryRead } from '../rules/runs/library-text.ts'
import type { PublishedParts, PublishProblem } from '../rules/runs/publish-problem.ts'
import type { AskedRun, RefusedRun, RunGraph } from '../rules/runs/run-graph.ts'
import type { FilledGraph, GraphInInput, GraphWithParameters, RefusedGraph } from '../rules/runs/sent-graph.ts'

type Bytes = Uint8Array<ArrayBuffer>

export type GraphOfPicture = { readonly payload: string; readonly document: string | undefined }

export type ExportRead = Omit<OpenedGraph, 'files'> & {
  readonly files: readonly (Omit<OpenedGraph['files'][number], 'base64'> & { readonly data: Bytes })[]
}

export type WorkflowReaders = {
  readonly graphInInput: (input: Json, installed: InstalledModels | undefined) => GraphInInput
  readonly accountKeys: (input: Json) => Pick<Exclude<GraphInInput, RefusedGraph>, 'withoutKeys'> | Problem
  readonly filledGraph: (given: Json, graph: GraphWithParameters, installed: InstalledModels | undefined) => FilledGraph
  /**
   * A graph submitted by an editor or command.
   * @param types node classes as JSON
   */
  readonly runGraph: (text: string, asked: AskedRun, types: string) => RunGraph | RefusedRun
  readonly publishProblem: (graph: PublishedParts) => PublishProblem
  readonly libraryText: (text: string, types: string | undefined) => LibraryRead
  /**
   * Validated node classes. `text`: their JSON if a file includes their version.
   * @returns a problem as the end of a sentence
   */
  readonly classes: (
    text: string,
  ) => { readonly version: string | undefined; readonly text: string | undefined } | Problem
  /** Merges the node classes of several servers, and tells what each has. @param kept classes that stay as they are */
  readonly serverClasses: (
    texts: readonly string[],
    kept: string | undefined,
  ) => { readonly text: string; readonly servers: readonly (ClassesAndModels | Problem)[] }
  /** A JSON object with the named class; without such a class it has no fields. */
  readonly classNamed: (text: string, name: string) => { readonly json: string } | Problem
  readonly classTexts: (
    text: string,
  ) => { readonly texts: readonly (readonly [name: string, json: string])[] } | Problem
  readonly modelNames: (graph: string) => readonly string[]
  readonly graphExport: (file: Bytes) => ExportRead | Problem
  readonly results: (output: Json) => FoundResults & { readonly previews: readonly FoundResult[] }
  /** @param made undefined: the file stays as its worker sent it */
  readonly resultFile: (content: FoundResult['content'], made: GraphOfPicture | undefined) => Uint8Array | Problem
}

export type ReadsGraphs = { readonly readInThread: InThread<WorkflowReaders> }
