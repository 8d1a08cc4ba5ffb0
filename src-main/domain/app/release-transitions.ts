import type { ReleaseState } from '../../contract/app.ts'

type Transition = { readonly from: readonly ReleaseState[]; readonly to: ReleaseState; readonly source: string }

/** THE table of moves of a release: its guards, its CHECK list and its tests are computed from it. */
export const RELEASE_TRANSITIONS = {
  activate: { from: ['preparing'], to: 'active', source: 'app-deploy, Deploy: when all endpoints are ready' },
  fail: { from: ['preparing'], to: 'failed', source: 'app-deploy, Deploy: on any failure the old version stays' },
  supersede: { from: ['active'], to: 'superseded', source: 'app-deploy, Deploy: the new version takes traffic' },
} as const satisfies Record<string, Transition>

/** Name of a move of a release. */
export type ReleaseEvent = keyof typeof RELEASE_TRANSITIONS

/** All moves, in the order of the table. */
export const RELEASE_EVENTS = Object.keys(RELEASE_TRANSITIONS) as readonly ReleaseEvent[]

/** The moves that end a release. */
const ENDING: readonly ReleaseEvent[] = ['fail', 'supersede']

/** Whether nothing comes after this move. */
export function endsRelease(event: ReleaseEvent): boolean {
  return ENDING.includes(event)
}
