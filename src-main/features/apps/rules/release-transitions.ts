import type { ReleaseState } from '../../../contract/app.ts'

type Transition = { readonly from: readonly ReleaseState[]; readonly to: ReleaseState; readonly source: string }

/** THE table of release transitions: guards, CHECK lists and tests are derived from it. */
export const RELEASE_TRANSITIONS = {
  activate: { from: ['preparing'], to: 'active', source: 'docs/spec/app-deploy.md, 7: when all endpoints are ready' },
  fail: { from: ['preparing'], to: 'failed', source: 'docs/spec/app-deploy.md, 7: the old one stays' },
  supersede: { from: ['active'], to: 'superseded', source: 'docs/spec/app-deploy.md, 7: a newer one is active' },
} as const satisfies Record<string, Transition>

export type ReleaseEvent = keyof typeof RELEASE_TRANSITIONS

export const RELEASE_EVENTS = Object.keys(RELEASE_TRANSITIONS) as readonly ReleaseEvent[]

const ENDING: readonly ReleaseEvent[] = ['fail', 'supersede']

export function endsRelease(event: ReleaseEvent): boolean {
  return ENDING.includes(event)
}
