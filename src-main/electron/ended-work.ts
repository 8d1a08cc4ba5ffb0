/** What has ended while nobody looked, joined to one notification: pure, the times are given. */
import type { JobState } from '../contract/job.ts'

/** A job or a deploy that has ended. */
export type Ended =
  | { readonly kind: 'job'; readonly endpointId: string; readonly jobId: string; readonly state: JobState }
  | {
      readonly kind: 'release'
      readonly app: string
      readonly environment: string
      readonly number: number
      readonly failed: boolean
      readonly why?: string | undefined
    }

/** What a notification says, and the page that it opens. */
export type EndedNote = { readonly title: string; readonly body: string; readonly page: string }

/** Whether it is told: somebody who cancels a job knows of it. */
export function isTold(ended: Ended): boolean {
  return ended.kind === 'release' || ended.state !== 'CANCELLED'
}

/** One notification for all of them. @returns undefined for none */
export function joinEnded(ended: readonly Ended[]): EndedNote | undefined {
  const [first] = ended
  if (first === undefined) return undefined
  if (ended.length === 1) return noteOfOne(first)
  const jobs = ended.filter((one) => one.kind === 'job')
  const releases = ended.filter((one) => one.kind === 'release')
  const parts = [
    counted(jobs.filter(({ state }) => state === 'COMPLETED').length, 'job completed', 'jobs completed'),
    counted(jobs.filter(({ state }) => state === 'FAILED').length, 'job failed', 'jobs failed'),
    counted(jobs.filter(({ state }) => state === 'TIMED_OUT').length, 'job timed out', 'jobs timed out'),
    counted(releases.filter(({ failed }) => !failed).length, 'deploy done', 'deploys done'),
    counted(releases.filter(({ failed }) => failed).length, 'deploy failed', 'deploys failed'),
  ].filter((part) => part !== '')
  const endpoints = [...new Set(jobs.map(({ endpointId }) => endpointId))]
  const [only] = endpoints
  const oneEndpoint = endpoints.length === 1 && releases.length === 0 ? only : undefined
  return {
    title: parts.join(', '),
    body: oneEndpoint ?? namesOf([...endpoints, ...releases.map(placeOf)]),
    page: oneEndpoint === undefined ? (jobs.length === 0 ? '/apps' : '/jobs') : `/endpoints/${oneEndpoint}/jobs`,
  }
}

const JOB_ENDED: Readonly<Partial<Record<JobState, string>>> = {
  COMPLETED: 'Job completed',
  FAILED: 'Job failed',
  TIMED_OUT: 'Job timed out',
}

function noteOfOne(ended: Ended): EndedNote {
  if (ended.kind === 'job') {
    const { endpointId, jobId, state } = ended
    return { title: JOB_ENDED[state] ?? 'Job ended', body: `${endpointId}, ${jobId}`, page: `/jobs/${jobId}` }
  }
  const { app, environment, number, failed, why } = ended
  return {
    title: failed ? 'Deploy failed' : 'Deploy done',
    body: `Release ${number} of ${placeOf(ended)}${why === undefined ? '' : `: ${why}`}`,
    page: `/apps/deployed/${app}/${environment}`,
  }
}

const placeOf = ({ app, environment }: { readonly app: string; readonly environment: string }) =>
  `${app}/${environment}`
const counted = (count: number, one: string, many: string) =>
  count === 0 ? '' : count === 1 ? `1 ${one}` : `${count} ${many}`

const NAMED = 3

function namesOf(names: readonly string[]): string {
  const distinct = [...new Set(names)]
  const rest = distinct.length - NAMED
  return rest <= 0 ? distinct.join(', ') : `${distinct.slice(0, NAMED).join(', ')} and ${rest} more`
}
