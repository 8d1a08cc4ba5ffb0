import type { MachineView } from '../../src-main/contract/system.ts'

/** A piece of the status bar. */
export type PieceWords = {
  readonly text: string
  /** What it says on hover. */
  readonly detail: string
  /** Whether a dot draws the eye to it. */
  readonly warns: boolean
}

/** The Docker engine. One that nobody has is no fault: workers run as processes without it. */
export function enginePiece(machine: MachineView | undefined): PieceWords {
  if (machine === undefined) return { text: 'docker …', detail: 'It is being looked for.', warns: false }
  const noCards = machine.gpus.length === 0 ? ` ${sentence(machine.gpuFault ?? 'this machine has no GPU')}` : ''
  const { state, version, source, reason } = machine.engine
  if (state === 'connected')
    return { text: 'docker ok', detail: `Engine ${version}, named by ${source}.${noCards}`, warns: false }
  if (state === 'reconnecting')
    return { text: 'docker away', detail: sentence(reason ?? 'the engine went away'), warns: true }
  const why = sentence(reason ?? 'no engine answers')
  return { text: 'no docker', detail: `Workers run as processes. ${why}${noCards}`, warns: false }
}

/** The cards; undefined where there are none. */
export function cardsPiece(machine: MachineView | undefined): PieceWords | undefined {
  const { gpus = [], gpuFault } = machine ?? {}
  if (gpus.length === 0) return undefined
  const held = gpus.filter(({ heldBy }) => heldBy.length > 0)
  const names = [...new Set(gpus.map(({ name }) => name))].join(', ')
  return {
    text: `GPU ${held.length} of ${gpus.length} used`,
    detail: gpuFault === undefined ? `${names}.` : `${names}. ${sentence(gpuFault)}`,
    warns: gpuFault !== undefined,
  }
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.`
}
