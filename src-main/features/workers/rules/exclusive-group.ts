/**
 * Decides whose turn it is among endpoints whose ComfyUI servers share the memory of one card. Source: ours;
 * docs/spec/image-workflows.md, 6.2.
 */
import { counted, withFullStop } from '../../../lib/text.ts'
import { OVERTAKE_MS } from './choose-job.ts'
import type { WaitingReason } from './waiting-reason.ts'

export type GroupMember = {
  readonly id: string
  readonly running: number
  /** When its first job was queued, in steady ms; undefined: none waits, or no worker can take it. */
  readonly waitsSince: number | undefined
  /** Its servers may have models loaded that no server of the endpoint in question has. */
  readonly isLoaded: boolean
  readonly isLast: boolean
}

export type Turn =
  | { readonly kind: 'own' }
  | { readonly kind: 'running'; readonly other: GroupMember }
  | { readonly kind: 'later'; readonly other: GroupMember }
  | { readonly kind: 'loaded'; readonly others: readonly [GroupMember, ...GroupMember[]] }

export function turnOf(own: GroupMember, others: readonly GroupMember[]): Turn {
  const running = others.find((other) => other.running > 0)
  if (running !== undefined) return { kind: 'running', other: running }
  const first = firstOf([own, ...others])
  if (first !== undefined && first !== own) return { kind: 'later', other: first }
  const [loaded, ...more] = others.filter(({ isLoaded }) => isLoaded)
  return loaded === undefined ? { kind: 'own' } : { kind: 'loaded', others: [loaded, ...more] }
}

/** Loading takes longer than most graphs, so the last one goes on while its next job is not much newer. */
function firstOf(members: readonly GroupMember[]): GroupMember | undefined {
  const since = ({ waitsSince = Number.POSITIVE_INFINITY, isLast }: GroupMember) =>
    isLast ? waitsSince - OVERTAKE_MS : waitsSince
  const [first] = members.filter(({ waitsSince }) => waitsSince !== undefined).toSorted((a, b) => since(a) - since(b))
  return first
}

export function whyTurnWaits(turn: Turn, group: string, problem: string | undefined): WaitingReason | undefined {
  if (turn.kind === 'own') return undefined
  const shares = `shares a GPU with this endpoint (exclusive group ${group})`
  const textOf = () => {
    if (turn.kind === 'running') return `${turn.other.id} runs ${counted(turn.other.running, 'job')} and ${shares}`
    if (turn.kind === 'later') return `The next job of ${turn.other.id} goes first: it ${shares}`
    const { id } = turn.others[0]
    if (problem === undefined) return `${id} unloads its models first, because it ${shares}`
    return `${id} ${shares}, and may still have models loaded: ${problem}. Drydock asks it again every few seconds`
  }
  return { text: withFullStop(textOf()), needsChange: false, isWhole: true }
}
