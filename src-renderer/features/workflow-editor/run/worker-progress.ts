/** What workers of graphs report while they run. Source: image-workflows, Running a graph. */
import { z } from 'zod'

// Pictures that a browser draws and that run nothing. A worker may also send bare base64.
const PICTURE = /^data:image\/(png|jpeg|webp|gif|avif);base64,/
const BARE: readonly (readonly [start: string, type: string])[] = [
  ['iVBORw0KGgo', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['UklGR', 'image/webp'],
]

const nodeId = z.union([z.string(), z.number().transform(String)])
const report = z.object({
  node: nodeId.nullish(),
  step: z.number().nullish(),
  steps: z.number().nullish(),
  done: z.array(nodeId).nullish(),
  cached: z.array(nodeId).nullish(),
  preview: z.object({ node: nodeId.nullish(), data: z.string() }).nullish(),
})

/** A report. `preview.source` is an address that an <img> can show. */
export type WorkerProgress = {
  readonly node: string | undefined
  readonly step: number | undefined
  readonly steps: number | undefined
  readonly done: ReadonlySet<string>
  /** Those that did not have to run, as nothing before them had changed. */
  readonly cached: ReadonlySet<string>
  readonly preview: { readonly node: string; readonly source: string } | undefined
}

/** Reads a report; undefined where the worker reports something of its own. */
export function readWorkerProgress(value: unknown): WorkerProgress | undefined {
  const parsed = report.safeParse(value)
  if (!parsed.success) return undefined
  const { node, step, steps, done, cached, preview } = parsed.data
  if (node == null && done == null && cached == null) return undefined
  const source = preview == null ? undefined : pictureSource(preview.data)
  const previewNode = preview?.node ?? node ?? undefined
  return {
    node: node ?? undefined,
    step: step ?? undefined,
    steps: steps ?? undefined,
    done: new Set(done ?? []),
    cached: new Set(cached ?? []),
    preview: source === undefined || previewNode === undefined ? undefined : { node: previewNode, source },
  }
}

function pictureSource(data: string): string | undefined {
  if (PICTURE.test(data)) return data
  const type = BARE.find(([start]) => data.startsWith(start))?.[1]
  return type === undefined ? undefined : `data:${type};base64,${data}`
}
