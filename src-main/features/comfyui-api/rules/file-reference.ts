import { isRecord, plainJson } from '../../../lib/json/plain.ts'

export type FileReference = { readonly filename: string; readonly subfolder: string; readonly type: string }

// `a.png [output]` also names the folder.
const ANNOTATED = /^(.*) ?\[(input|output|temp)\]$/s

export function referenceIn(fields: Readonly<Record<string, unknown>>): FileReference {
  const text = (name: string) => (typeof fields[name] === 'string' ? fields[name] : '')
  const [, filename = text('filename'), type = text('type') || 'output'] = ANNOTATED.exec(text('filename')) ?? []
  return { filename: filename.trimEnd(), subfolder: text('subfolder'), type }
}

/** @param json any value; one that is not an object in JSON names no file */
export function readReference(json: unknown): FileReference {
  const value = typeof json === 'string' ? plainJson(json) : undefined
  return referenceIn(isRecord(value) ? value : {})
}
