import type { Problem } from '../../lib/in-thread.ts'
import type { JsonScan } from '../../lib/json/scan.ts'
import type { RefusedRun } from '../workflows/rules/runs/run-graph.ts'
import type { AskedPrompt, CheckedPrompt, RefusedPrompt } from './rules/check-prompt.ts'
import type { PictureForm } from './rules/picture-form.ts'

type Bytes = Uint8Array<ArrayBuffer>

export type ComfyuiReaders = {
  readonly fields: (json: string) => Pick<JsonScan, 'fields'> | Problem
  /** Checks the graph of a ComfyUI client. @param types node classes as JSON */
  readonly prompt: (text: string, asked: AskedPrompt, types: string) => CheckedPrompt | RefusedPrompt | RefusedRun
  readonly picture: (bytes: Uint8Array, form: PictureForm) => { readonly bytes: Bytes; readonly type: string } | Problem
  /** @returns a PNG with the original's colours and graph and the mask's alpha */
  readonly maskedPicture: (original: Uint8Array, mask: Uint8Array) => Bytes | Problem
}
