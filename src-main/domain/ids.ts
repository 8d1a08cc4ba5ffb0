/** The ids of endpoints and jobs. */
import { RESERVED_IDS } from '../contract/endpoint.ts'

const LONGEST = 40
const SUFFIX = 6

/** What of a name an id can hold: lower case, hyphens for what is no letter or digit; empty where that is nothing. */
export function plainId(name: string): string {
  const plain = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return plain.slice(0, LONGEST).replace(/-+$/, '')
}

/**
 * Makes an id from the name of an endpoint, with a random end where that is taken or reserved.
 * @param isTaken whether an endpoint has this id
 * @param random gives at least six characters a-z0-9
 */
export function endpointIdFrom(name: string, isTaken: (id: string) => boolean, random: () => string): string {
  const base = plainId(name) || 'endpoint'
  if (!RESERVED_IDS.has(base) && !isTaken(base)) return base
  const short = base.slice(0, LONGEST - SUFFIX - 1).replace(/-+$/, '')
  for (;;) {
    const id = `${short}-${random().slice(0, SUFFIX)}`
    if (!isTaken(id)) return id
  }
}

/**
 * Id of a job: `<uuid>-l1` for run, with the prefix `sync-` for runsync. Source: docs/spec/job-api.md, 3; the suffix
 * says "local", as the platform's says which region.
 */
export function jobId(kind: 'run' | 'runsync', uuid: string): string {
  return kind === 'runsync' ? `sync-${uuid}-l1` : `${uuid}-l1`
}

// Letters that tell the jobs of a list apart.
const SHORT_JOB_ID = 6

/** The end of a job's id without its suffix, for lists. */
export const shortJobId = (id: string): string => id.replace(/-l1$/, '').slice(-SHORT_JOB_ID)
