import type { InThread } from '../../lib/in-thread.ts'
import { cutText, fieldsOf } from '../../lib/json/scan.ts'
import type { ComfyuiReaders } from './ports.ts'

export type ReadField = (name: string) => string | undefined

/** The JSON of an object's fields by name. A graph may hold hundreds of thousands of numbers. */
export async function readFields(
  { readInThread }: { readonly readInThread: InThread<ComfyuiReaders> },
  json: string,
): Promise<ReadField> {
  const read = await readInThread.fields(json)
  return 'problem' in read ? () => undefined : fieldsOf(read, cutText(json))
}
