import type { BridgeSettings } from '../settings.ts'
import { Pace } from './pace.ts'
import { advance, nothingDone, type Progress, progressValue } from './progress.ts'
import { type Preview, type ServerMessage, textIn } from './server-message.ts'

export type ReporterOptions = {
  readonly nodes: Iterable<string>
  readonly promptId: string
  readonly settings: Pick<BridgeSettings, 'progressMs' | 'previewBytes'>
  readonly progress: (value: unknown) => void
  readonly log: (line: string) => void
}

/**
 * Throttles reports but always sends the newest. Each includes the latest preview, since polling clients see only the
 * last value.
 */
export function createReporter({ nodes, promptId, settings, progress, log }: ReporterOptions) {
  let at: Progress = nothingDone(nodes)
  let preview: { readonly node: string; readonly data: string } | undefined
  let hasToldOfSize = false
  const pace = new Pace(settings.progressMs, () =>
    progress({ ...progressValue(at), ...(preview === undefined ? {} : { preview }) }),
  )
  return {
    takeMessage(message: ServerMessage) {
      const of = textIn(message.data, 'prompt_id')
      if (of !== undefined && of !== promptId) return
      const next = advance(at, message)
      if (next === at) return
      at = next
      pace.call()
    },
    takePreview(taken: Preview) {
      const node = taken.node ?? at.node
      if (node === undefined || (taken.promptId !== undefined && taken.promptId !== promptId)) return
      if (taken.picture.length > settings.previewBytes) {
        if (!hasToldOfSize) log(`Previews of more than ${settings.previewBytes / 1024} KiB are left out.`)
        hasToldOfSize = true
        return
      }
      preview = { node, data: dataUri(taken) }
      pace.call()
    },
    stop: () => pace.stop(),
  }
}

function dataUri({ type, picture }: Preview): string {
  return `data:${type};base64,${Buffer.from(picture).toString('base64')}`
}
