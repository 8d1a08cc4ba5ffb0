/** One preview per project, a program with its own service. Its events become a view, kept until the service ends. */
import { AppError } from '../../contract/errors.ts'
import type { PreviewEvent } from '../../contract/preview-events.ts'
import type { PreviewView } from '../../contract/projects.ts'
import type { Clock, Log } from '../../lib/clock.ts'
import type { Project } from '../../storage/storage.ts'
import { previewBegun, previewEnded, previewStopping, previewWith } from '../apps/rules/project-progress.ts'
import type { Soon } from './builds.ts'
import type { PreviewEnd, PreviewLink, PreviewProgram, StartPreview } from './ports.ts'

// Time for a normal end, ms. Source: ours; jobs get 2 s, and containers take some.
const STOP_MS = 15_000

export type Preview = { readonly view: () => PreviewView }

type Running = Preview & {
  readonly program: PreviewProgram
  shown: PreviewView
  keyFile: string | undefined
  isWanted: boolean
  readonly over: Promise<void>
}

export function createPreviews(deps: {
  readonly clock: Clock
  readonly log: Log
  readonly startPreview: StartPreview
  readonly previewLink: PreviewLink
  readonly onChange: (soon: Soon) => void
}) {
  const { clock, log, startPreview, previewLink, onChange } = deps
  const previews = new Map<string, Running>()
  let stopping = false

  function begin({ id, folder }: Project): Running {
    const onEvent = (event: PreviewEvent) => {
      if (event.event === 'up') preview.keyFile = event.keyFile
      change(preview, previewWith(preview.shown, event, clock.now()), event.event === 'log' ? 'with others' : 'now')
    }
    const program = startPreview(folder, onEvent)
    const over = program.ended.then((end) => {
      const why = preview.isWanted ? whyEnded(end) : undefined
      if (why !== undefined) log.warn('a preview ended unexpectedly', { projectId: id, exitCode: end.exitCode })
      change(preview, previewEnded(preview.shown, why, clock.now()))
    })
    const preview: Running = {
      program,
      shown: previewBegun(clock.now()),
      view: () => preview.shown,
      keyFile: undefined,
      isWanted: true,
      over,
    }
    return preview
  }

  function change(preview: Running, view: PreviewView, soon: Soon = 'now'): void {
    preview.shown = view
    onChange(soon)
  }

  async function stop(projectId: string): Promise<void> {
    const preview = previews.get(projectId)
    if (preview === undefined || preview.shown.state === 'ended') return
    if (preview.isWanted) {
      preview.isWanted = false
      change(preview, previewStopping(preview.shown))
      preview.program.stop()
    }
    const cancelTimer = clock.after(STOP_MS, () => {
      log.warn('a preview did not end in time and is killed', { projectId })
      preview.program.kill()
    })
    await preview.over
    cancelTimer()
  }

  return {
    start(project: Project): Preview {
      if (stopping) throw new AppError('STOPPING')
      const before = previews.get(project.id)
      if (before !== undefined && before.shown.state !== 'ended')
        throw new AppError('PREVIEW_RUNNING', { projectId: project.id })
      const begun = begin(project)
      previews.set(project.id, begun)
      onChange('now')
      return begun
    },
    newest: (projectId: string): Preview | undefined => previews.get(projectId),
    stop,
    /**
     * Creates a sign-in link for its pages.
     * @throws AppError NO_PREVIEW if none answers
     */
    async link(projectId: string): ReturnType<PreviewLink> {
      const { shown, keyFile } = previews.get(projectId) ?? {}
      if (shown?.url === undefined || keyFile === undefined) throw new AppError('NO_PREVIEW', { projectId })
      return previewLink({ url: shown.url, keyFile }).catch((error) => {
        // The preview is ending, or was killed at this very moment.
        throw new AppError('NO_PREVIEW', { projectId }, { cause: error })
      })
    },
    async forget(projectId: string) {
      await stop(projectId)
      previews.delete(projectId)
    },
    async stopAll() {
      stopping = true
      await Promise.all([...previews.keys()].map(stop))
    },
  }
}

function whyEnded({ exitCode, lastOutput }: PreviewEnd): string {
  if (lastOutput !== '') return lastOutput
  return exitCode === null ? 'The preview was killed. Start it again.' : `The preview ended with exit code ${exitCode}.`
}
