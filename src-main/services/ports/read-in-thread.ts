/** Readers of bodies, results and files. Large ones run in a thread, because they would hold the event loop. */
import type { JobFileHead } from '../../contract/job-file.ts'
import type { Problem } from '../../domain/compare/plan.ts'
import type { HiddenValues } from '../../domain/job/job-file.ts'
import type { OpenAiAnswer } from '../../domain/job/openai-error.ts'
import type { Report } from '../../domain/job/report.ts'
import type { SentChunk } from '../../domain/job/stream.ts'
import type { Json } from '../../domain/json/json.ts'
import type { BodyFault } from '../../domain/json/read-object.ts'
import type { FoundResult, FoundResults } from '../../domain/workflow-runs/find-results.ts'
import type { OpenedGraph } from '../../domain/workflow-runs/graph-export.ts'
import type { InstalledModels } from '../../domain/workflow-runs/graph-models.ts'
import type { LibraryRead } from '../../domain/workflow-runs/library-text.ts'
import type { PublishedParts, PublishProblem } from '../../domain/workflow-runs/publish-problem.ts'
import type { AskedRun, RefusedRun, RunGraph } from '../../domain/workflow-runs/run-graph.ts'
import type { FilledGraph, GraphInInput, GraphWithParameters } from '../../domain/workflow-runs/sent-graph.ts'

type Bytes = Uint8Array<ArrayBuffer>

/** The graph that made a picture: JSON of its payload, and of its document where an editor sent it. */
export type GraphOfPicture = { readonly payload: string; readonly document: string | undefined }

/** The object of a body: its value, and each field as it came. */
type ObjectRead = {
  readonly value: Readonly<Record<string, unknown>>
  readonly fields: ReadonlyMap<string, Json>
}

/** A graph of an export with its files, of which each is what its SHA-256 says. */
export type ExportRead = Omit<OpenedGraph, 'files'> & {
  readonly files: readonly (Omit<OpenedGraph['files'][number], 'base64'> & { readonly data: Bytes })[]
}

/** Each reader with what it is given. They know nothing but that. */
export type Readers = {
  /** The object of a body in UTF-8. @param maxValues undefined: it is passed on, and large fields are empty in its value */
  readonly object: (body: Bytes, maxValues: number | undefined) => ObjectRead | BodyFault
  /** Any JSON, of which a large one may not hold many values. */
  readonly value: (json: string) => { readonly value: unknown } | Problem
  readonly report: (body: Bytes) => Report
  readonly graphInInput: (input: Json, installed: InstalledModels | undefined) => GraphInInput
  readonly filledGraph: (given: Json, graph: GraphWithParameters, installed: InstalledModels | undefined) => FilledGraph
  /** A graph that an editor or a command sends to be run. @param types JSON of the classes of nodes */
  readonly runGraph: (text: string, asked: AskedRun, types: string) => RunGraph | RefusedRun
  readonly publishProblem: (graph: PublishedParts) => PublishProblem
  /** A text for the library. @param types JSON of the classes of nodes, for a payload */
  readonly libraryText: (text: string, types: string | undefined) => LibraryRead
  /**
   * Classes of nodes, checked. `text`: JSON of them where a file has them with their version.
   * @returns a problem as the end of a sentence
   */
  readonly classes: (
    text: string,
  ) => { readonly version: string | undefined; readonly text: string | undefined } | Problem
  /** JSON of each class of nodes by its name. */
  readonly classTexts: (
    text: string,
  ) => { readonly texts: readonly (readonly [name: string, json: string])[] } | Problem
  /** Names of model files in a graph. */
  readonly modelNames: (graph: string) => readonly string[]
  readonly graphExport: (file: Bytes) => ExportRead | Problem
  /** The text of a file with one job. @param line of an export */
  readonly jobFile: (line: string, head: Omit<JobFileHead, 'masked'>, hidden: HiddenValues) => { readonly text: string }
  /** Packages of the system that the call of a live source names. */
  readonly systemPackages: (input: Json) => readonly string[]
  readonly chunk: (body: Bytes) => SentChunk
  /** The answer of a worker to a request of OpenAI's API. */
  readonly openAi: (given: Json, from: 'output' | 'chunk') => OpenAiAnswer
  /** Results and previews in the output of a job of an image worker. */
  readonly results: (output: Json) => FoundResults & { readonly previews: readonly FoundResult[] }
  /** The bytes of a result; of a PNG with the graph in it. */
  readonly resultFile: (content: FoundResult['content'], made: GraphOfPicture) => Uint8Array | Problem
}

/** Reads one after the other. @returns a problem where it took too long, or more memory than there is */
export type ReadInThread = <Name extends keyof Readers>(
  name: Name,
  ...given: Parameters<Readers[Name]>
) => Promise<ReturnType<Readers[Name]> | Problem>

/** Who reads. */
export type ReadsInThread = { readonly readInThread: ReadInThread }
