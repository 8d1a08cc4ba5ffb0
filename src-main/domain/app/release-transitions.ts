import type { ReleaseState } from '../../contract/app.ts'

type Transition = { readonly from: readonly ReleaseState[]; readonly to: ReleaseState; readonly source: string }

/** THE table of moves of a release: its guards, its CHECK list and its tests are computed from it. */
export const RELEASE_TRANSITIONS = {
  activate: { from: ['preparing'], to: 'active', source: 'docs/spec/app-deploy.md, 7: when all endpoints are ready' },
  fail: { from: ['preparing'], to: 'failed', source: 'docs/spec/app-deploy.md, 7: the old one stays' },
  supersede: { from: ['active'], to: 'superseded', source: 'docs/spec/app-deploy.md, 7: a newer one is active' },
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
