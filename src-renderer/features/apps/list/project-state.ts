import type { ProjectView } from '../../../../src-main/contract/projects.ts'
import type { StateDotProps } from '../../../ui/StateDot.tsx'

const PREVIEWS: Readonly<Record<NonNullable<ProjectView['preview']>, StateDotProps | undefined>> = {
  starting: { tone: 'running', word: 'Preview starts', pulses: true },
  live: { tone: 'completed', word: 'Preview live' },
  broken: { tone: 'failed', word: 'Preview broken' },
  stopping: { tone: 'queued', word: 'Preview stops' },
  ended: undefined,
}

const BUILDS: Readonly<Record<NonNullable<ProjectView['build']>, StateDotProps>> = {
  running: { tone: 'running', word: 'Building', pulses: true },
  done: { tone: 'completed', word: 'Built' },
  failed: { tone: 'failed', word: 'Build failed' },
  cancelled: { tone: 'cancelled', word: 'Build cancelled' },
}

/** How a project is: what goes on in it first, then what its last build came to. */
export function projectState({ isThere, preview, build }: ProjectView): StateDotProps {
  if (!isThere) return { tone: 'failed', word: 'Folder is gone' }
  if (build === 'running') return BUILDS.running
  const previewed = preview && PREVIEWS[preview]
  return previewed ?? (build === undefined ? { tone: 'queued', word: 'Not built' } : BUILDS[build])
}
