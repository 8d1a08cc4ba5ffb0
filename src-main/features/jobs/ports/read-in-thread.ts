/** Large bodies, results and files are read in a thread, as they would block the event loop. */
import type { JobFileHead } from '../../../contract/job-file.ts'
import type { ModelFacts } from '../../../contract/models.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import type { AskedPrompt, CheckedPrompt, RefusedPrompt } from '../../comfyui-api/rules/check-prompt.ts'
import type { PictureForm } from '../../comfyui-api/rules/picture-form.ts'
import type { Problem } from '../../comparisons/rules/plan.ts'
import type { ClassesAndModels } from '../../workflows/rules/merge-classes.ts'
import type { FoundResult, FoundResults } from '../../workflows/rules/runs/find-results.ts'
import type { OpenedGraph } from '../../workflows/rules/runs/graph-export.ts'
import type { InstalledModels } from '../../workflows/rules/runs/graph-models.ts'
import type { LibraryRead } from '../../workflows/rules/runs/library-text.ts'
import type { PublishedParts, PublishProblem } from '../../workflows/rules/runs/publish-problem.ts'
import type { AskedRun, RefusedRun, RunGraph } from '../../workflows/rules/runs/run-graph.ts'
import type {
  FilledGraph,
  GraphInInput,
  GraphWithParameters,
  RefusedGraph,
} from '../../workflows/rules/runs/sent-graph.ts'
import type { HiddenValues } from '../rules/job-file.ts'
import type { OpenAiAnswer } from '../rules/openai-error.ts'
import type { BodyFault } from '../rules/read-object.ts'
import type { Report } from '../rules/report.ts'
import type { SentChunk } from '../rules/stream.ts'

type Bytes = Uint8Array<ArrayBuffer>

export type GraphOfPicture = { readonly payload: string; readonly document: string | undefined }

type ObjectRead = {
  readonly value: Readonly<Record<string, unknown>>
  readonly fields: ReadonlyMap<string, Json>
}

export type ExportRead = Omit<OpenedGraph, 'files'> & {
  readonly files: readonly (Omit<OpenedGraph['files'][number], 'base64'> & { readonly data: Bytes })[]
}

export type Readers = {
  /** The object of a body in UTF-8. @param maxValues undefined: it is passed on, and large fields are empty in its value */
  readonly object: (body: Bytes, maxValues: number | undefined) => ObjectRead | BodyFault
  /** The unparsed items of a list, or of the list in a field of an object. */
  readonly items: (body: Bytes, field: string | undefined) => { readonly items: readonly Bytes[] } | Problem
  readonly value: (json: string) => { readonly value: unknown } | Problem
  readonly report: (body: Bytes) => Report
  readonly graphInInput: (input: Json, installed: InstalledModels | undefined) => GraphInInput
  readonly accountKeys: (input: Json) => Pick<Exclude<GraphInInput, RefusedGraph>, 'withoutKeys'> | Problem
  readonly filledGraph: (given: Json, graph: GraphWithParameters, installed: InstalledModels | undefined) => FilledGraph
  /**
   * A graph submitted by an editor or command.
   * @param types node classes as JSON
   */
  readonly runGraph: (text: string, asked: AskedRun, types: string) => RunGraph | RefusedRun
  readonly prompt: (text: string, asked: AskedPrompt, types: string) => CheckedPrompt | RefusedPrompt | RefusedRun
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
  readonly classTexts: (
    text: string,
  ) => { readonly texts: readonly (readonly [name: string, json: string])[] } | Problem
  readonly modelNames: (graph: string) => readonly string[]
  readonly modelHead: (json: string, dataBytes: number) => ModelFacts
  readonly graphExport: (file: Bytes) => ExportRead | Problem
  readonly jobFile: (line: string, head: Omit<JobFileHead, 'masked'>, hidden: HiddenValues) => { readonly text: string }
  readonly systemPackages: (input: Json) => readonly string[]
  readonly chunk: (body: Bytes) => SentChunk
  readonly openAi: (given: Json, from: 'output' | 'chunk') => OpenAiAnswer
  readonly results: (output: Json) => FoundResults & { readonly previews: readonly FoundResult[] }
  readonly picture: (bytes: Uint8Array, form: PictureForm) => { readonly bytes: Bytes; readonly type: string } | Problem
  /** @returns a PNG with the original's colours and graph and the mask's alpha */
  readonly maskedPicture: (original: Uint8Array, mask: Uint8Array) => Bytes | Problem
  /** @param made undefined: the file stays as its worker sent it */
  readonly resultFile: (content: FoundResult['content'], made: GraphOfPicture | undefined) => Uint8Array | Problem
}

export type ReadInThread = <Name extends keyof Readers>(
  name: Name,
  ...given: Parameters<Readers[Name]>
) => Promise<ReturnType<Readers[Name]> | Problem>

export type ReadsInThread = { readonly readInThread: ReadInThread }
