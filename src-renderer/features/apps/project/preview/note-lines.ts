import type { PreviewView } from '../../../../../src-main/contract/projects.ts'
import { duration } from '../../../../ui/format.ts'

type Note = PreviewView['notes'][number]

/** Which notes are shown: of one endpoint or of all, with a text. */
export type NoteFilter = { readonly text: string; readonly endpoint: string | undefined }

/** The notes that fit. What the preview itself tells has no endpoint, and stands beside the lines of each. */
export function filterNotes(notes: readonly Note[], { text, endpoint }: NoteFilter): readonly Note[] {
  const wanted = text.toLowerCase()
  return notes.filter(
    (note) =>
      (endpoint === undefined || note.endpoint === undefined || note.endpoint === endpoint) &&
      (wanted === '' || `${note.endpoint ?? ''} ${note.text}`.toLowerCase().includes(wanted)),
  )
}

/** The endpoints that wrote lines, by name. */
export function endpointsOf(notes: readonly Note[]): readonly string[] {
  return [...new Set(notes.flatMap(({ endpoint }) => endpoint ?? []))].sort()
}

/** A note in words: of a save that went live also how long that took. */
export function noteText({ kind, text, tookMs }: Note): string {
  if (kind !== 'live' || tookMs === undefined) return text
  return `Live in ${duration(tookMs)}: ${text.replace(/^Live: /, '')}`
}
