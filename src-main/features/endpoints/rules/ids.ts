import { RESERVED_IDS } from '../../../contract/endpoint.ts'

const LONGEST = 40
const SUFFIX = 6

export function plainId(name: string): string {
  const plain = name
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  return plain.slice(0, LONGEST).replace(/-+$/, '')
}

/**
 * Appends a random suffix if the id is taken or reserved.
 * @param random returns at least six characters a-z0-9
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
 * `<uuid>-l1` for run, with the prefix `sync-` for runsync. Source: docs/spec/job-api.md, 3; "l" is local, as the
 * platform's suffix is the region.
 */
export function jobId(kind: 'run' | 'runsync', uuid: string): string {
  return kind === 'runsync' ? `sync-${uuid}-l1` : `${uuid}-l1`
}

const SHORT_JOB_ID = 6

export const shortJobId = (id: string): string => id.replace(/-l1$/, '').slice(-SHORT_JOB_ID)
