import type { JobFileHead } from '../../../contract/job-file.ts'
import type { InThread, Problem } from '../../../lib/in-thread.ts'
import type { Json } from '../../../lib/json/bytes.ts'
import type { HiddenValues } from '../rules/job-file.ts'
import type { OpenAiAnswer } from '../rules/openai-error.ts'
import type { BodyFault } from '../rules/read-object.ts'
import type { Report } from '../rules/report.ts'
import type { SentChunk } from '../rules/stream.ts'

type Bytes = Uint8Array<ArrayBuffer>

type ObjectRead = {
  readonly value: Readonly<Record<string, unknown>>
  readonly fields: ReadonlyMap<string, Json>
}

export type JobReaders = {
  /** The object of a body in UTF-8. @param maxValues undefined: it is passed on, and large fields are empty in its value */
  readonly object: (body: Bytes, maxValues: number | undefined) => ObjectRead | BodyFault
  /** The unparsed items of a list, or of the list in a field of an object. */
  readonly items: (body: Bytes, field: string | undefined) => { readonly items: readonly Bytes[] } | Problem
  readonly value: (json: string) => { readonly value: unknown } | Problem
  readonly report: (body: Bytes) => Report
  readonly jobFile: (line: string, head: Omit<JobFileHead, 'masked'>, hidden: HiddenValues) => { readonly text: string }
  readonly chunk: (body: Bytes) => SentChunk
  readonly openAi: (given: Json, from: 'output' | 'chunk') => OpenAiAnswer
}

export type ReadsJobs = { readonly readInThread: InThread<JobReaders> }
