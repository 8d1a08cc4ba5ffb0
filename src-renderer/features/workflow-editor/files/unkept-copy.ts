/** Copies of edits that the service could not be given, in the browser itself. */
import type { z } from 'zod'
import { workflowText } from '../../../../src-main/contract/workflows.ts'
import type { LocalTexts } from '../../../platform/local-texts.ts'
import { parseStored } from '../../../platform/parse-stored.ts'

/** What was edited, and the state of the service that it was edited from. */
export type Unkept = z.infer<typeof workflowText>

const nameOf = (workflowId: string) => `unkept ${workflowId}`

/** Keeps a copy; a browser that has no room for it keeps none. */
export async function writeUnkept(texts: LocalTexts, workflowId: string, unkept: Unkept): Promise<void> {
  await texts.write(nameOf(workflowId), JSON.stringify(unkept)).catch(() => undefined)
}

/** The copy of a workflow's edits; undefined where there is none. */
export async function readUnkept(texts: LocalTexts, workflowId: string): Promise<Unkept | undefined> {
  const text = await texts.read(nameOf(workflowId)).catch(() => undefined)
  return parseStored(workflowText, text)
}

/** Forgets the copy. */
export async function forgetUnkept(texts: LocalTexts, workflowId: string): Promise<void> {
  await texts.remove(nameOf(workflowId)).catch(() => undefined)
}
