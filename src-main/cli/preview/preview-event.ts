import type { PreviewEvent } from '../../contract/preview-events.ts'

/** What a preview tells, one after the other; `--json` prints each as a document. */
export type { PreviewEvent }

/** Hears what a preview tells. */
export type TellPreview = (event: PreviewEvent) => void
