import type { BridgeSettings } from '../settings.ts'
import { advance, nothingDone, type Progress, progressValue } from './progress.ts'
import { type Preview, type ServerMessage, textIn } from './server-message.ts'

type ReporterOptions = {
  readonly nodes: Iterable<string>
  readonly promptId: string
  readonly settings: Pick<BridgeSettings, 'progressMs' | 'previewBytes'>
  readonly progress: (value: unknown) => void
  readonly takeResult: (node: string, picture: Preview) => boolean
  readonly log: (line: string) => void
}

/**
 * Throttles reports but always sends the newest, with the latest preview, since polling clients see only the last
 * value.
 */
export function createReporter({ nodes, promptId, settings, progress, takeResult, log }: ReporterOptions) {
  let at: Progress = nothingDone(nodes)
  let preview: { readonly node: string; readonly data: string } | undefined
  let hasToldOfSize = false
  const pace = paced(settings.progressMs, () =>
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
      if (takeResult(node, taken)) return
      if (taken.picture.length > settings.previewBytes) {
        if (!hasToldOfSize) log(`Previews of more than ${settings.previewBytes / 1024} KiB are left out.`)
        hasToldOfSize = true
        return
      }
      const data = `data:${taken.type};base64,${Buffer.from(taken.picture).toString('base64')}`
      preview = { node, data }
      pace.call()
    },
    stop: pace.stop,
  }
}

/** Calls `act` at once, then at most once per span, and always for the last request. */
function paced(spanMs: number, act: () => void) {
  let isWanted = false
  let timer: NodeJS.Timeout | undefined
  function next(): void {
    timer = undefined
    if (!isWanted) return
    isWanted = false
    timer = setTimeout(next, spanMs)
    act()
  }
  return {
    call() {
      isWanted = true
      if (timer === undefined) next()
    },
    stop() {
      clearTimeout(timer)
      isWanted = false
    },
  }
}
