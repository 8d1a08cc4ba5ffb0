import { cutText, fieldsOf } from '../../lib/json/scan.ts'
import type { PromptDeps } from './prompts.ts'

export type ReadField = (name: string) => string | undefined

/** The JSON of an object's fields by name. A graph may hold hundreds of thousands of numbers. */
export async function readFields({ readInThread }: Pick<PromptDeps, 'readInThread'>, json: string): Promise<ReadField> {
  const read = await readInThread.fields(json)
  return 'problem' in read ? () => undefined : fieldsOf(read, cutText(json))
}
